/** The events that a report counts, after its filters: the relation `passed` or `passed_alone`. */
import type { Cte } from "../../engines/port.ts";
import { ofSession, readEventConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import type { Asking } from "../report.ts";

const PARTS = readParts("chosen_events");
const ALONE = "1 = 1";

export interface ChosenEvents {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of the relation: project_id, day, at_ms, session, type, event, value. */
  readonly passed: string;
}

/** `value` is an expression over the session `v`. */
export function chooseEvents(asking: Asking, value?: string): ChosenEvents {
  const { ctes, texts, params } = readEventConditions(asking, ofSession);
  const isAlone = value === undefined && texts.bots === ALONE && texts.session_filter === ALONE;
  const [parts, passed] = isAlone ? [["passed_alone"], "passed_alone"] : [["chosen", "passed"], "passed"];
  return { ctes: [...ctes, ...toCtes(PARTS, parts, { ...texts, value: value ?? "''", read: ALONE })], params, passed };
}

/** The events of dirty partitions. */
export function dirtyEvents(): ChosenEvents {
  const ctes = toCtes(PARTS, ["passed_alone"], { read: "e.day >= s.dirty_from", event_filter: ALONE });
  return { ctes, params: {}, passed: "passed_alone" };
}

/** The events that a report counts, after its filters: the relation `passed` or `passed_alone`. */
import type { Cte } from "../../engines/relations.ts";
import { ofSession, readEventConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { ReportContext } from "../report/report.ts";

const PARTS = readParts("chosen_events");
const ALONE = "1 = 1";

export interface ChosenEvents {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of the relation: project_id, day, at_ms, session, type, event, value. */
  readonly passed: string;
}

/** `value` is an expression over the session `v`. */
export function chooseEvents(context: ReportContext, value?: string): ChosenEvents {
  const { ctes, texts, params } = readEventConditions(context, ofSession);
  const isAlone = value === undefined && texts.bots === ALONE && texts.session_filter === ALONE;
  const [parts, passed] = isAlone ? [["passed_alone"], "passed_alone"] : [["chosen", "passed"], "passed"];
  return {
    ctes: [...ctes, ...toCtes(PARTS, parts, { ...texts, value: value ?? "''", read: ALONE, from: "events" })],
    params,
    passed,
  };
}

/** The events of dirty partitions; of a running day those of `from`, that are not rolled up. */
export function dirtyEvents(context: ReportContext, from: "open_events" | "open_hours"): ChosenEvents {
  const { ctes, isCounted } = countedEvents(context);
  const alone = toCtes(PARTS, ["passed_alone"], { from, read: "e.day >= s.dirty_from", event_filter: isCounted });
  return { ctes: [...ctes, ...alone], params: {}, passed: "passed_alone" };
}

/** `isCounted` is a condition on an event `e` of a dirty partition: its session is not left out as a bot's. */
export function countedEvents({ leavesBotsOut }: Pick<ReportContext, "leavesBotsOut">): {
  readonly ctes: readonly Cte[];
  readonly isCounted: string;
} {
  if (!leavesBotsOut) return { ctes: [], isCounted: ALONE };
  return {
    ctes: toCtes(PARTS, ["dirty_bots"], {}),
    isCounted: "(e.project_id, e.session) NOT IN (SELECT project_id, session FROM dirty_bots)",
  };
}

/** Which sessions' events a report reads, after its filters. */
import type { Cte } from "../../engines/port.ts";
import { isPlain, ofSession, readConditions } from "../conditions.ts";
import { readParts, toCtes } from "../parts.ts";
import type { Asking } from "../report.ts";
import type { Days } from "../window.ts";

const PARTS = readParts("kept_sessions");

export interface KeptSessions {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** A condition on event `e`. */
  readonly isKept: string;
}

/** `days` are those that the report reads. */
export function keepSessions(asking: Asking, days: Days): KeptSessions {
  if (isPlain(asking)) return { ctes: [], params: {}, isKept: "1 = 1" };
  const { texts, params, hasEvents } = readConditions(asking, ofSession);
  const [parts, kept] = hasEvents ? [["kept", "matching", "kept_by_events"], "kept_by_events"] : [["kept"], "kept"];
  return {
    ctes: toCtes(PARTS, parts, texts),
    params: { ...params, read_from: days.firstDay, read_to: days.lastDay },
    isKept: `(e.project_id, e.session) IN (SELECT project_id, session FROM ${kept})`,
  };
}

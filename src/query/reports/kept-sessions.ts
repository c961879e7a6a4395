/** Which sessions' events a report reads, after its filters. */
import type { Cte } from "../../engines/relations.ts";
import { isPlain, ofSession, readConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import type { ReportContext } from "../report/report.ts";
import type { Days } from "../report/window.ts";

const PARTS = readParts("kept_sessions");

export interface KeptSessions {
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  /** A condition on event `e`. */
  readonly isKept: string;
}

/** `days` are those that the report reads. */
export function keepSessions(context: ReportContext, days: Days): KeptSessions {
  if (isPlain(context) && !context.leavesBotsOut) return { ctes: [], params: {}, isKept: "1 = 1" };
  const { texts, params, hasEvents } = readConditions(context, ofSession);
  const read = { read_from: days.firstDay, read_to: days.lastDay };
  if (isPlain(context))
    return {
      ctes: toCtes(PARTS, ["left_out"], texts),
      params: { ...params, ...read },
      isKept: "(e.project_id, e.session) NOT IN (SELECT project_id, session FROM left_out)",
    };
  const [parts, kept] = hasEvents ? [["kept", "matching", "kept_by_events"], "kept_by_events"] : [["kept"], "kept"];
  return {
    ctes: toCtes(PARTS, parts, texts),
    params: { ...params, ...read },
    isKept: `(e.project_id, e.session) IN (SELECT project_id, session FROM ${kept})`,
  };
}

/** The conditions of a question as texts of the SQL parts. */
import { revenueValue } from "../materialize/columns.ts";
import { FIELDS, type FieldName } from "./filter-terms.ts";
import { buildClause, type Condition } from "./filters.ts";
import type { Asking } from "./report.ts";

/** The column names of a report's relation, for filters. `field` is always one of FIELDS. */
export interface Names {
  readonly project: string;
  session(field: FieldName): string;
}

export const ofSession: Names = { project: "v.project_id", session: (field) => `v.${field}` };
/** Session filters are compared with the values under which the event's revenue counts. */
export const ofRevenue: Names = { project: "e.project_id", session: revenueValue };
const ofEvent = (field: FieldName) => (field === "page" ? "e.pathname" : `e.${field}`);

/** True if rollups can answer it. */
export function isPlain({ conditions, leavesBotsOut }: Pick<Asking, "conditions" | "leavesBotsOut">): boolean {
  return conditions.length === 0 && !leavesBotsOut;
}

export interface ConditionTexts {
  readonly texts: Readonly<Record<"bots" | "session_filter" | "event_filter", string>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** True if a condition is about single events. */
  readonly hasEvents: boolean;
}

export function readConditions(
  { conditions, leavesBotsOut }: Pick<Asking, "conditions" | "leavesBotsOut">,
  names: Names,
): ConditionTexts {
  const session = buildClause(ofLevel(conditions, "session"), names.session, "s");
  const event = buildClause(ofLevel(conditions, "event"), ofEvent, "e");
  const isPerson = `${names.session("device")} != 'bot'`;
  const bots = leavesBotsOut ? `(${names.project} NOT IN {without_bots:Array(String)} OR ${isPerson})` : "1 = 1";
  return {
    texts: { bots, session_filter: session.sql, event_filter: event.sql },
    params: { ...session.params, ...event.params },
    hasEvents: ofLevel(conditions, "event").length > 0,
  };
}

function ofLevel(conditions: readonly Condition[], level: "session" | "event"): Condition[] {
  return conditions.filter(({ field }) => FIELDS[field].level === level);
}

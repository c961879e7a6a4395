/** The values of a filter field, most frequent first, for people who choose one. */

import { ApiError } from "../../contract/errors.ts";
import { SOURCE_COLUMNS } from "../../contract/metric-columns.ts";
import type { ValuesQuery } from "../../contract/values.ts";
import { EngineBusy } from "../../engines/failures.ts";
import { fillSql, readSqlParts } from "../../lib/sql.ts";
import { shownValue } from "../../materialize/columns.ts";
import { FIELDS, type FieldName, textsOf } from "../filter-terms.ts";
import type { Failures } from "../filters.ts";
import { toCtes } from "../parts.ts";
import { readDays, scopeOf } from "../question.ts";
import type { Lookup, LookupContext } from "../run-lookup.ts";
import { type Days, windowOf } from "../window.ts";
import { withRelations } from "../with-relations.ts";

const PARTS = readSqlParts(new URL("./values.sql", import.meta.url));
/** Somebody types and waits. */
const SEARCH_MS = 5_000;

/** Fields of the event that rollups hold, as expressions over one of their rows `r`. */
const ROLLED_UP_EVENTS: Readonly<Partial<Record<FieldName, string>>> = {
  event: "r.value",
  type: "substring(r.dimension, 7)",
};

/** Fields that are dimensions of rollups. */
const ROLLED_UP: readonly string[] = [...SOURCE_COLUMNS, "location"];

const TEXT_FIELDS = Object.entries(FIELDS).flatMap(([name, { kind }]) => (kind === "text" ? [name as FieldName] : []));

export interface ValuesQuestion {
  readonly field: FieldName;
  /** A part of the value, and its beginning; empty: any. */
  readonly search: string;
  readonly prefix: string;
  readonly window: Days | undefined;
  readonly limit: number;
}

export interface FieldValues {
  readonly field: string;
  readonly counts: "sessions" | "events";
  readonly data: readonly { readonly value: string; readonly count: number }[];
  readonly has_more: boolean;
}

export type ReadValues =
  | { readonly ok: true; readonly value: ValuesQuestion }
  | { readonly ok: false; readonly failures: Failures };

export function readValues(query: ValuesQuery, nowMs: number): ReadValues {
  const failures: Failures = new Map();
  const field = TEXT_FIELDS.find((name) => name === query.field);
  if (query.field !== undefined && field === undefined)
    failures.set("query.field", `must be one of ${TEXT_FIELDS.join(", ")}`);
  const { dateFrom, lastDay } = readDays(query, nowMs, failures);
  if (failures.size > 0 || field === undefined) return { ok: false, failures };
  const { search = "", prefix = "", limit } = query;
  return { ok: true, value: { field, search, prefix, window: windowOf(dateFrom, lastDay), limit } };
}

export function listValues(question: ValuesQuestion): Lookup<FieldValues> {
  return { name: "distinct_values", run: (given) => askValues(question, given) };
}

async function askValues(question: ValuesQuestion, given: LookupContext): Promise<FieldValues> {
  const { field, window, limit } = question;
  const counts = FIELDS[field].level === "session" ? "sessions" : "events";
  const rows = window === undefined ? [] : await selectValues(question, window, given);
  const data = rows.slice(0, limit).map(({ value, value_count }) => ({ value, count: value_count }));
  return { field, counts, data, has_more: rows.length > limit };
}

interface ValueRow {
  readonly value: string;
  readonly value_count: number;
}

async function selectValues(
  { field, search, prefix, limit }: ValuesQuestion,
  window: Days,
  { engine, owner, nowMs, signal }: LookupContext,
): Promise<readonly ValueRow[]> {
  const scope = scopeOf(owner, window, nowMs);
  if (scope.projects.length === 0) return [];
  const withoutBots = owner.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const { ctes, found } = relationOf(field, withoutBots.length > 0);
  const relations = await engine.relations.forReport(scope, signal);
  const sql = withRelations([...relations.ctes, ...ctes], fillSql(PARTS("answer"), { found }));
  const params = {
    ...relations.params,
    projects: scope.projects.map(({ id }) => id),
    first_day: window.firstDay,
    last_day: window.lastDay,
    without_bots: withoutBots,
    dimension: field,
    search,
    prefix,
    // One more shows that there are more.
    limit: limit + 1,
  };
  try {
    return (await engine.select<ValueRow>(sql, { params, signal, timeoutMs: SEARCH_MS })).rows;
  } catch (cause) {
    if (!(cause instanceof EngineBusy)) throw cause;
    throw new ApiError("SERVICE_UNAVAILABLE", "The search for values takes too long: choose fewer days", {
      headers: { "Retry-After": "5" },
      cause,
    });
  }
}

/** Over an event `v`; of a list each text once. */
function eventValue(field: FieldName): string {
  if (field === "page") return "v.pathname";
  return FIELDS[field].isList ? `arrayJoin(arrayDistinct(${textsOf(`v.${field}`)}))` : `v.${field}`;
}

/** Rollups count bots: projects that exclude them are read from sessions, as in reports. */
function relationOf(field: FieldName, leavesBotsOut: boolean) {
  const bots = leavesBotsOut ? "(v.project_id NOT IN {without_bots:Array(String)} OR v.device != 'bot')" : "1 = 1";
  if (FIELDS[field].level === "event") {
    const value = eventValue(field);
    const rolled_up = leavesBotsOut ? undefined : ROLLED_UP_EVENTS[field];
    if (rolled_up !== undefined) {
      const parts = ["clean_events", "dirty_events", "events_from_rollups"];
      return { found: "events_from_rollups", ctes: toCtes(PARTS, parts, { value, rolled_up }) };
    }
    return { found: "of_events", ctes: toCtes(PARTS, ["of_events"], { value, bots }) };
  }
  const value = shownValue(field, `v.${field}`);
  const isRolledUp = ROLLED_UP.includes(field) && !leavesBotsOut;
  if (!isRolledUp) return { found: "of_sessions", ctes: toCtes(PARTS, ["of_sessions"], { value, bots }) };
  return { found: "from_rollups", ctes: toCtes(PARTS, ["clean", "dirty", "from_rollups"], { value }) };
}

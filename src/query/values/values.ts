/** The values of a filter field, most frequent first, for people who choose one. */

import { SOURCE_COLUMNS } from "../../contract/metric-columns.ts";
import { LONGEST_PROPERTY } from "../../contract/properties.ts";
import type { ValuesQuery } from "../../contract/values.ts";
import { fillSql, readSqlParts } from "../../lib/sql.ts";
import { shownValue } from "../../materialize/columns.ts";
import { FIELDS, type FieldName, textsOf } from "../filter-terms.ts";
import type { Failures } from "../filters.ts";
import { toCtes } from "../parts.ts";
import { readDays } from "../question.ts";
import type { Lookup, LookupContext } from "../run-lookup.ts";
import { type Days, windowOf } from "../window.ts";
import { keepsBots, searchIn } from "./search.ts";

const PARTS = readSqlParts(new URL("./values.sql", import.meta.url));

/** Fields of the event that rollups hold, as expressions over one of their rows `r`. */
const ROLLED_UP_EVENTS: Readonly<Partial<Record<FieldName, string>>> = {
  event: "r.value",
  type: "substring(r.dimension, 7)",
};

/** Fields that are dimensions of rollups. */
const ROLLED_UP: readonly string[] = [...SOURCE_COLUMNS, "location"];

const TEXT_FIELDS = Object.entries(FIELDS).flatMap(([name, { kind }]) => (kind === "text" ? [name as FieldName] : []));

export interface ValuesQuestion {
  /** Undefined for a property. */
  readonly field: FieldName | undefined;
  /** A key of events' properties, where there is no field. */
  readonly property: string;
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
  const property = field === undefined ? findProperty(query.field) : undefined;
  if (query.field !== undefined && field === undefined && property === undefined)
    failures.set("query.field", `must be one of ${TEXT_FIELDS.join(", ")}`);
  const { dateFrom, lastDay } = readDays(query, nowMs, failures);
  if (failures.size > 0 || (field === undefined && property === undefined)) return { ok: false, failures };
  const { search = "", prefix = "", limit } = query;
  const window = windowOf(dateFrom, lastDay);
  return { ok: true, value: { field, property: property ?? "", search, prefix, window, limit } };
}

const PROPERTIES = "properties.";

/** The key in `properties.<key>`. */
function findProperty(field: string | undefined): string | undefined {
  const key = field?.startsWith(PROPERTIES) ? field.slice(PROPERTIES.length) : "";
  return key === "" || key.length > LONGEST_PROPERTY || !key.isWellFormed() ? undefined : key;
}

export function listValues(question: ValuesQuestion): Lookup<FieldValues> {
  return { name: "distinct_values", run: (given) => askValues(question, given) };
}

async function askValues(question: ValuesQuestion, given: LookupContext): Promise<FieldValues> {
  const { field, property, window, limit } = question;
  const counts = field !== undefined && FIELDS[field].level === "session" ? "sessions" : "events";
  const rows = window === undefined ? [] : await selectValues(question, window, given);
  const data = rows.slice(0, limit).map(({ value, value_count }) => ({ value, count: value_count }));
  return { field: field ?? `${PROPERTIES}${property}`, counts, data, has_more: rows.length > limit };
}

interface ValueRow {
  readonly value: string;
  readonly value_count: number;
}

async function selectValues(
  { field, property, search, prefix, limit }: ValuesQuestion,
  window: Days,
  given: LookupContext,
): Promise<readonly ValueRow[]> {
  const bots = keepsBots(given.owner);
  const { ctes, found } = field === undefined ? ofProperty(bots) : relationOf(field, bots);
  const params = {
    dimension: field ?? "",
    property,
    search,
    prefix,
    // One more shows that there are more.
    limit: limit + 1,
  };
  return searchIn<ValueRow>(window, { ctes, answer: fillSql(PARTS("answer"), { found }), params }, given);
}

function ofProperty(bots: string) {
  const value = "JSONExtractString(v.properties, {property:String})";
  return { found: "of_events", ctes: toCtes(PARTS, ["of_events"], { value, bots }) };
}

/** Over an event `v`; of a list each text once. */
function eventValue(field: FieldName): string {
  if (field === "page") return "v.pathname";
  return FIELDS[field].isList ? `arrayJoin(arrayDistinct(${textsOf(`v.${field}`)}))` : `v.${field}`;
}

/** Rollups count bots: projects that exclude them are read from sessions, as in reports. */
function relationOf(field: FieldName, bots: string) {
  const leavesBotsOut = bots !== "1 = 1";
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

/** The values of a filter field, most frequent first, for people who choose one. */

import { FIELD_NAMES, FILTER_FIELDS, type FieldName } from "../../contract/filter-fields.ts";
import { SOURCE_COLUMNS } from "../../contract/metric-columns.ts";
import { findProperty, PROPERTY_PREFIX } from "../../contract/properties.ts";
import type { ValuesQuery } from "../../contract/values.ts";
import { fillSql } from "../../lib/sql.ts";
import { dayIn, UTC } from "../../lib/time-zones.ts";
import { shownValue } from "../../materialize/columns.ts";
import { propertyText } from "../filters/event-terms.ts";
import { isListField, PROPERTY_ABOUT, textsOf } from "../filters/filter-terms.ts";
import { type Failures, type Filters, readFilters } from "../filters/filters.ts";
import { isPlain, ofSession, readConditions } from "../report/conditions.ts";
import { readWindowParts, toCtes } from "../report/parts.ts";
import { planPeople } from "../report/people.ts";
import { type Known, readDays, readZone } from "../report/question.ts";
import { type Days, windowOf } from "../report/window.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";
import { keepsBots, searchIn } from "./search.ts";

const PARTS = readWindowParts(new URL("./values.sql", import.meta.url));

/** Fields of the event that rollups hold, as expressions over one of their rows `r`. */
const ROLLED_UP_EVENTS: Readonly<Partial<Record<FieldName, string>>> = {
  event: "r.value",
  type: "substring(r.dimension, 7)",
};

/** Fields that are dimensions of rollups. */
const ROLLED_UP: readonly string[] = [...SOURCE_COLUMNS, "location"];

const TEXT_FIELDS = FIELD_NAMES.filter((name) => FILTER_FIELDS[name].kind === "text");

export interface ValuesQuestion {
  /** Undefined for a property. */
  readonly field: FieldName | undefined;
  /** A key of events' properties, where there is no field. */
  readonly property: string;
  /** A part of the value, and its beginning; empty: any. */
  readonly search: string;
  readonly prefix: string;
  readonly filters: Filters;
  readonly window: Days | undefined;
  /** The time zone of its days. */
  readonly zone: string;
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

export function readValues(query: ValuesQuery, nowMs: number, known: Known = {}): ReadValues {
  const failures: Failures = new Map();
  const zone = readZone(query, failures) ?? known.zone ?? UTC;
  const field = TEXT_FIELDS.find((name) => name === query.field);
  const property = field === undefined ? findProperty(query.field ?? "") : undefined;
  if (query.field !== undefined && field === undefined && property === undefined)
    failures.set("query.field", `must be one of ${TEXT_FIELDS.join(", ")}, or ${PROPERTY_ABOUT}`);
  const filters = readFilters(query, failures, { nowMs, zone, segment: known.segment });
  const { dateFrom, lastDay } = readDays(query, dayIn(zone, nowMs), failures);
  if (failures.size > 0 || (field === undefined && property === undefined)) return { ok: false, failures };
  const { search = "", prefix = "", limit } = query;
  const window = windowOf(dateFrom, lastDay);
  return { ok: true, value: { field, property: property ?? "", search, prefix, filters, window, zone, limit } };
}

export function listValues(question: ValuesQuestion): Lookup<FieldValues> {
  return { name: "distinct_values", run: (given) => queryValues(question, given) };
}

async function queryValues(question: ValuesQuestion, given: LookupContext): Promise<FieldValues> {
  const { field, property, window, limit } = question;
  const counts = field !== undefined && FILTER_FIELDS[field].level === "session" ? "sessions" : "events";
  const rows = window === undefined ? [] : await selectValues(question, window, given);
  const data = rows.slice(0, limit).map(({ value, value_count }) => ({ value, count: value_count }));
  return { field: field ?? `${PROPERTY_PREFIX}${property}`, counts, data, has_more: rows.length > limit };
}

interface ValueRow {
  readonly value: string;
  readonly value_count: number;
}

async function selectValues(
  { field, property, search, prefix, filters, zone, limit }: ValuesQuestion,
  window: Days,
  given: LookupContext,
): Promise<readonly ValueRow[]> {
  const bots = keepsBots(given.owner);
  const ofAll = () => (field === undefined ? ofProperty(bots) : relationOf(field, bots));
  const { ctes, found, params } = isPlain(filters)
    ? { ...ofAll(), params: {} }
    : ofFiltered(field, filters, given.owner);
  const own = {
    ...params,
    dimension: field ?? "",
    property,
    search,
    prefix,
    // One more shows that there are more.
    limit: limit + 1,
  };
  const answer = fillSql(PARTS("answer"), { found });
  return searchIn<ValueRow>(
    { ...window, zone },
    { ctes, answer, params: own, people: planPeople(filters.people) },
    given,
  );
}

/**
 * As in reports: a field of the session counts sessions of which one event meets the conditions about events, a field of
 * the event counts the events that meet them.
 */
function ofFiltered(field: FieldName | undefined, filters: Filters, owner: LookupContext["owner"]) {
  const { texts, params, hasEvents } = readConditions({ ...filters, leavesBotsOut: false }, ofSession);
  const { session_filter, event_filter } = texts;
  if (field !== undefined && FILTER_FIELDS[field].level === "session") {
    const isMatching = "(v.project_id, v.session) IN (SELECT project_id, session FROM matching)";
    const parts = toCtes(PARTS, [...(hasEvents ? ["matching"] : []), "filtered_sessions"], {
      value: shownValue(field, `v.${field}`),
      bots: keepsBots(owner),
      session_filter,
      event_filter,
      is_matching: hasEvents ? isMatching : "1 = 1",
    });
    return { found: "filtered_sessions", ctes: parts, params };
  }
  const isAboutSessions = session_filter !== "1 = 1";
  const isChosen = "(e.project_id, e.session) IN (SELECT project_id, session FROM chosen)";
  const parts = toCtes(PARTS, [...(isAboutSessions ? ["chosen"] : []), "filtered_events"], {
    value: field === undefined ? propertyText("e", "property") : eventValue(field, "e"),
    bots: keepsBots(owner, "e"),
    session_filter,
    event_filter,
    is_chosen: isAboutSessions ? isChosen : "1 = 1",
  });
  return { found: "filtered_events", ctes: parts, params };
}

function ofProperty(bots: string) {
  const value = propertyText("v", "property");
  return { found: "of_events", ctes: toCtes(PARTS, ["of_events"], { value, bots }) };
}

/** Over an event; of a list each text once. */
function eventValue(field: FieldName, of = "v"): string {
  const column = `${of}.${field === "page" ? "pathname" : field}`;
  return isListField(field) ? `arrayJoin(arrayDistinct(${textsOf(column)}))` : column;
}

/** Rollups leave out the events of a bot's session. Here events are left out by their own device, so they are read. */
function relationOf(field: FieldName, bots: string) {
  if (FILTER_FIELDS[field].level === "event") {
    const value = eventValue(field);
    const rolled_up = bots === "1 = 1" ? ROLLED_UP_EVENTS[field] : undefined;
    if (rolled_up !== undefined) {
      const parts = ["clean_events", "dirty_events", "events_from_rollups"];
      return { found: "events_from_rollups", ctes: toCtes(PARTS, parts, { value, rolled_up }) };
    }
    return { found: "of_events", ctes: toCtes(PARTS, ["of_events"], { value, bots }) };
  }
  const value = shownValue(field, `v.${field}`);
  if (!ROLLED_UP.includes(field))
    return { found: "of_sessions", ctes: toCtes(PARTS, ["of_sessions"], { value, bots }) };
  return { found: "from_rollups", ctes: toCtes(PARTS, ["clean", "dirty", "from_rollups"], { value, bots }) };
}

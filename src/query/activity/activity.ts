/**
 * Events, newest first. A page steps back from its position, at first by an hour and then by four times as much each
 * time, until it is full: the newest page of a busy project reads an hour, and not all days.
 */

import { ACTIVITY_LIMITS, type ActivityQuery } from "../../contract/activity.ts";
import { ApiError } from "../../contract/errors.ts";
import type { FieldName } from "../../contract/filter-fields.ts";
import { EngineBusy } from "../../engines/failures.ts";
import type { ReportScope } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { addDays, dayOf } from "../../lib/time.ts";
import { dayIn, startOfDay, UTC } from "../../lib/time-zones.ts";
import { type Clause, joinClauses } from "../filters/condition.ts";
import { buildClause, type Failures, type Filters, readFilters, toAddress } from "../filters/filters.ts";
import { readWindowParts } from "../report/parts.ts";
import { inMoments, type PeoplePlan, planPeople, withPeople } from "../report/people.ts";
import { type Known, readDays, readZone, scopeOf } from "../report/question.ts";
import { type Days, hullOf, windowOf } from "../report/window.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";
import { withRelations } from "../run/with-relations.ts";
import { type EventRow, OWN_COLUMNS, toItem } from "./item.ts";
import { findPosition, formatPosition, type Position } from "./position.ts";

const PARTS = readWindowParts(new URL("./activity.sql", import.meta.url));
const ROWS = fillSql(PARTS("rows"), { columns: OWN_COLUMNS.map((name) => `e.${name} AS ${name}`).join(",\n    ") });

const FIRST_STEP_MS = 3_600_000;
const STEP_GROWTH = 4;
/** After this time a page ends where its search has come, and the next one continues there. */
const SEARCH_MS = 3_000;
/** One step of a search may take longer; then the page fails. */
const STEP_MS = 10_000;
const ANY_LENGTH = 2 ** 32 - 1;

export interface ActivityQuestion {
  readonly filter: Clause;
  /** The people that the filter speaks of. */
  readonly people: PeoplePlan;
  /** Undefined: no events. */
  readonly window: Moments | undefined;
  readonly cursor: Position | undefined;
  readonly limit: number;
}

export interface ActivityPage {
  /** Texts of JSON objects. */
  readonly items: readonly string[];
  /** Undefined at the end of the window. A page may have fewer items than asked for, and still a next one. */
  readonly nextCursor: string | undefined;
}

export type ReadActivity =
  | { readonly ok: true; readonly value: ActivityQuestion }
  | { readonly ok: false; readonly failures: Failures };

/**
 * Validates a query beyond its types. Types may be wrong here: another check refuses them.
 */
export function readActivity(query: ActivityQuery, nowMs: number, known: Known = {}): ReadActivity {
  const failures: Failures = new Map();
  const zone = readZone(query, failures) ?? known.zone ?? UTC;
  const filters = readFilters(query, failures, { nowMs, zone, segment: known.segment });
  const { dateFrom, lastDay } = readDays(query, dayIn(zone, nowMs), failures);
  const cursor = typeof query.cursor === "string" ? findPosition(query.cursor) : undefined;
  if (query.cursor !== undefined && cursor === undefined)
    failures.set("query.cursor", "must be the next_cursor of an earlier page");
  if (failures.size > 0) return { ok: false, failures };
  const window = windowOf(dateFrom, lastDay);
  const [filter, people] = [filterOf(query, filters), planPeople(inMoments(filters.people, zone))];
  return { ok: true, value: { filter, people, window: window && momentsOf(window, zone), cursor, limit: query.limit } };
}

/** The moments of a window in its time zone. The statements of a page read UTC days, as events lie. */
interface Moments {
  readonly fromMs: number;
  readonly untilMs: number;
}

function momentsOf({ firstDay, lastDay }: Days, zone: string): Moments {
  return { fromMs: startOfDay(zone, firstDay), untilMs: startOfDay(zone, addDays(lastDay, 1)) };
}

function daysOf(fromMs: number, toMs: number): Days {
  return { firstDay: dayOf(fromMs), lastDay: dayOf(toMs) };
}

/** Fields of the session are those of the event itself. */
const columnOf = (field: FieldName) => `e.${RENAMED[field] ?? field}`;
const RENAMED: Partial<Record<FieldName, string>> = { page: "pathname", channel: "acquisition" };

/** Parameters that compare a whole value of the event. */
const COMPARED = ["type", "event", "address", "anonymous_id", "message_id", "session_id"] as const;

function filterOf(query: ActivityQuery, { conditions, people }: Filters): Clause {
  const given = COMPARED.flatMap((name) => {
    const value = query[name];
    if (typeof value !== "string") return [];
    const sql = name === "session_id" ? sessionTerm(value) : equalText(name);
    return [{ sql, params: { [name]: name === "address" ? toAddress(value) : value } }];
  });
  return joinClauses([withPeople(buildClause(conditions, columnOf, "f"), people), ...given]);
}

const equalText = (name: string) => `e.${name} = {${name}:String}`;

/** The id that every session has, as answered, or the client's own. */
function sessionTerm(text: string): string {
  const isNumber = /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n;
  return isNumber ? `(e.session = {session_id:UInt64} OR ${equalText("session_id")})` : equalText("session_id");
}

export function listActivity(question: ActivityQuestion): Lookup<ActivityPage> {
  return { name: "activity", run: (given) => readPage(question, given) };
}

/** One event with all of its texts. Undefined if there is none, or if it is in a project of somebody else. */
export function findActivity(position: Position): Lookup<string | undefined> {
  return {
    name: "activity_event",
    async run(given) {
      const items = await readItems([position], ANY_LENGTH, given);
      return items[0];
    },
  };
}

async function readPage(question: ActivityQuestion, given: LookupContext): Promise<ActivityPage> {
  const { window, cursor, limit } = question;
  if (
    window === undefined ||
    scopeOf(given.owner, daysOf(window.fromMs, window.untilMs - 1), given.nowMs).projects.length === 0
  )
    return { items: [], nextCursor: undefined };
  const { found, stoppedAt } = await findPlaces(window, cursor, limit + 1, question, given);
  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1) : stoppedAt;
  const items = await readItems(shown, ACTIVITY_LIMITS.bodyChars, given);
  return { items, nextCursor: next && formatPosition(next) };
}

type Search = Pick<ActivityQuestion, "filter" | "people">;

/** `stoppedAt`: everything after it was searched, and the window goes on. */
async function findPlaces(
  window: Moments,
  cursor: Position | undefined,
  wanted: number,
  search: Search,
  given: LookupContext,
): Promise<{ found: Position[]; stoppedAt?: Position }> {
  const startMs = window.fromMs;
  const end = { ms: window.untilMs, key: 0n };
  const startedAt = performance.now();
  const found: Position[] = [];
  let before = cursor !== undefined && cursor.ms < end.ms ? cursor : end;
  for (let stepMs = FIRST_STEP_MS; before.ms >= startMs; stepMs *= STEP_GROWTH) {
    // Few events are ahead of the clock: the first step ends at the end of the window, and begins an hour ago.
    const fromMs = Math.max(startMs, Math.min(before.ms, given.nowMs) - stepMs);
    found.push(...(await selectPlaces(fromMs, before, wanted - found.length, search, given)));
    before = { ms: fromMs, key: 0n };
    if (found.length >= wanted || fromMs === startMs) break;
    if (performance.now() - startedAt > SEARCH_MS) return { found, stoppedAt: before };
  }
  return { found };
}

async function selectPlaces(
  fromMs: number,
  before: Position,
  limit: number,
  { filter, people }: Search,
  given: LookupContext,
): Promise<Position[]> {
  const days = daysOf(fromMs, before.ms);
  const rows = await select<{ at_ms: number; event_key: string }>(
    fillSql(PARTS("places"), { event_filter: filter.sql }),
    { ...filter.params, from_ms: fromMs, before_ms: before.ms, before_key: before.key, limit },
    days,
    given,
    people,
  );
  return rows.map(({ at_ms, event_key }) => ({ ms: at_ms, key: BigInt(event_key) }));
}

/** Newest first, as the positions. An event that was removed meanwhile is left out. */
async function readItems(places: readonly Position[], mostChars: number, given: LookupContext): Promise<string[]> {
  const [newest, oldest] = [places[0], places.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const wanted = new Set(places.map(formatPosition));
  const rows = await select<EventRow>(
    ROWS,
    { from_ms: oldest.ms, to_ms: newest.ms, keys: places.map(({ key }) => key), most_chars: mostChars },
    daysOf(oldest.ms, newest.ms),
    given,
  );
  // Keys of different events are the same once in 2^64 pairs, or when a client makes them so.
  return rows.filter((row) => wanted.has(formatPosition({ ms: row.at_ms, key: BigInt(row.event_key) }))).map(toItem);
}

const NOBODY_ASKED = planPeople([]);

async function select<T>(
  sql: string,
  params: Readonly<Record<string, unknown>>,
  days: Days,
  { engine, owner, nowMs, signal }: LookupContext,
  people: PeoplePlan = NOBODY_ASKED,
): Promise<readonly T[]> {
  const scope: ReportScope = scopeOf(owner, hullOf(days, people.days), nowMs);
  if (scope.projects.length === 0) return [];
  const relations = await engine.relations.forReport(scope, signal);
  const ofAll = {
    projects: scope.projects.map(({ id }) => id),
    first_day: days.firstDay,
    last_day: days.lastDay,
  };
  try {
    const { rows } = await engine.select<T>(withRelations([...relations.ctes, ...people.ctes], sql), {
      params: { ...relations.params, ...ofAll, ...people.params, ...params },
      reads: relations.reads,
      signal,
      timeoutMs: STEP_MS,
    });
    return rows;
  } catch (cause) {
    if (!(cause instanceof EngineBusy)) throw cause;
    throw new ApiError("SERVICE_UNAVAILABLE", "The search takes too long: choose fewer days or other filters", {
      headers: { "Retry-After": "5" },
      cause,
    });
  }
}

/**
 * The relations of a report. A report reads the partition catalogue first. Sessions and rollups of clean partitions are
 * the rows of their revisions, which never change; sessions of dirty partitions are computed from their events. The
 * report is therefore as exact as its catalogue read, which concurrent reports share.
 */

import { withParts } from "../../lib/sql.ts";
import { DAY_MS, dayOf, latestDay } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { sessionsInTwoReads } from "../../materialize/sessions.ts";
import { ALL_OPEN, ANY_DAY, type Cte, type FoundRelations, type Relations, type ReportScope } from "../relations.ts";
import { ROLLUP_COLUMNS, SESSION_COLUMNS } from "../report-columns.ts";
import type { SelectParams } from "../select.ts";
import { type ZoneRows, zoneRows } from "../zone-sql.ts";
import { CATALOG_OF_PROJECTS, HAS_WANTED_SESSIONS } from "./catalog.ts";
import type { Clickhouse } from "./database.ts";
import { Tuple } from "./params.ts";
import { profilesCte, visitsFrom } from "./relations-profiles.ts";
import { ZONE_DIALECT, zoneCtes } from "./relations-zone.ts";

interface ProjectState {
  readonly project_id: string;
  /**
   * The day after the last clean partition whose rollups, and those of all before it, are made of the sessions that the
   * report asks for.
   */
  readonly dirty_from: string;
  /** The day after the last removed partition. */
  readonly removed_before: string;
  /** The lists below cover the report's window. */
  readonly revisions: readonly number[];
  readonly dirty_days: readonly string[];
  readonly dirty_dedupe_days: readonly string[];
  readonly window_dedupe_days: readonly string[];
}

/** A project without partitions has no row. */
const READ_STATES = `SELECT
    project_id,
    max(if(is_there AND is_clean AND has_rollups, day + 1, toDate(0))) AS dirty_from,
    max(if(has_begun, toDate(0), day + 1)) AS removed_before,
    groupArrayIf(revision, is_there AND is_clean AND in_window) AS revisions,
    groupArrayIf(day, is_there AND NOT is_clean AND in_window) AS dirty_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND NOT is_clean AND in_window) AS dirty_dedupe_days,
    groupUniqArrayArrayIf(dedupe_days, is_there AND in_window) AS window_dedupe_days
FROM
(
    SELECT
        *,
        day BETWEEN {first_day:Date} AND {last_day:Date} AS in_window,
        min(NOT is_there OR ${HAS_WANTED_SESSIONS})
            OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_rollups
    FROM (${CATALOG_OF_PROJECTS})
)
GROUP BY project_id`;

const SCOPE = `SELECT p.1 AS project_id, p.2 AS first_day, p.3 AS dirty_from, toDate('2149-06-06') AS running_day
FROM (SELECT arrayJoin({scope:Array(Tuple(String, Date, Date))}) AS p)`;

const IN_WINDOW =
  "project_id IN {scope_projects:Array(String)} AND day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}";
/** `*` has no computed columns, and the time of receipt is one. */
const EVENTS = `SELECT *, received_at FROM events_rows FINAL WHERE ${IN_WINDOW} AND dedupe_day IN {scope_dedupe_days:Array(Date)}`;
const ROLLUPS = `SELECT ${ROLLUP_COLUMNS.join(", ")}
FROM rollup_rows WHERE ${IN_WINDOW} AND revision IN {scope_revisions:Array(UInt64)}`;
const DIRTY_EVENTS = `(SELECT * FROM events_rows FINAL
    WHERE (project_id, dedupe_day) IN {scope_dirty_keys:Array(Tuple(String, Date))}
        AND (project_id, day) IN {scope_dirty_days:Array(Tuple(String, Date))})`;

/**
 * With only the columns that the statement mentions: ClickHouse plans every expression, read or not. Over a dirty and a
 * clean day that took 1.8 instead of 6.2 s for a list of sources and 3.9 instead of 5.6 s for the headline, in
 * WebAssembly.
 */
function sessionsOf(states: { readonly clean: boolean; readonly dirty: boolean }, words: ReadonlySet<string>): string {
  const named = SESSION_COLUMNS.filter((name) => words.has(name));
  const columns = named.length > 0 ? named : SESSION_COLUMNS.slice(0, 1);
  const clean = `SELECT ${columns.join(", ")}
FROM session_rows WHERE ${IN_WINDOW} AND revision IN {scope_revisions:Array(UInt64)}`;
  if (!states.dirty) return states.clean ? clean : `${clean} AND 0`;
  const dirty = `SELECT ${columns.join(", ")} FROM (\n${sessionsInTwoReads(DIRTY_EVENTS, new Set(columns))}\n)`;
  return states.clean ? `${clean}\nUNION ALL\n${dirty}` : dirty;
}

/**
 * Without FINAL, which would read the whole day. The index by minute skips granules; where it cannot, as in merged parts
 * of today, one narrow column is read.
 */
const ARRIVALS = `SELECT *, received_at
FROM events_rows
WHERE project_id IN {arrivals_projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({arrivals_minute_ms:Int64})
    AND first <= {arrivals_first:UInt64}`;
const LAST_VERSION = Number.MAX_SAFE_INTEGER;
const MINUTE_MS = 60_000;

/** The rows of a batch come after its events. */
const WRITTEN = `SELECT toString(project_id) AS project_id, toUnixTimestamp64Milli(minute) AS minute_ms, sum(events) AS events
FROM ledger_rows FINAL
WHERE project_id IN {written_projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({written_ms:Int64})
    AND outcome = 'written'
GROUP BY project_id, minute`;

/** A partition is marked before its events are stored, and its marks go with it. */
const FIRST_DAYS = `SELECT toString(project_id) AS project_id, min(day) AS first_day
FROM dirty_partitions
WHERE project_id IN {first_days_projects:Array(String)}
GROUP BY project_id`;

export function createRelations(clickhouse: Pick<Clickhouse, "select">): Relations {
  const readShared = shareReads((scope) => readStates(clickhouse, scope));
  return {
    sharesCtes: false,
    async forReport(scope, signal) {
      const zone = zoneRows(scope.zone === undefined ? scope : await withinStored(clickhouse, scope), ZONE_DIALECT);
      const read = zone === undefined ? scope : { ...scope, ...zone.days };
      const states = await readShared(read);
      signal.throwIfAborted();
      const found = relationsOf(read, states);
      return zone === undefined ? found : inZone(found, scope, zone, states);
    },
    async forProfiles(project, addresses, signal) {
      const scope = {
        projects: [{ id: project, firstDay: ALL_DAYS.firstDay, withoutBots: false }],
        ...ALL_DAYS,
      };
      const states = await readShared(scope);
      signal.throwIfAborted();
      return profileRelations(scope, addresses, states);
    },
    arrivals: (projects, sinceMs) => ({
      ctes: [{ name: "arrivals", sql: ARRIVALS }],
      params: {
        arrivals_projects: projects,
        arrivals_minute_ms: Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS,
        arrivals_first: LAST_VERSION - sinceMs,
      },
      reads: { projects, lastDay: ANY_DAY },
    }),
    written: (projects, sinceMs) => ({
      ctes: [{ name: "written", sql: WRITTEN }],
      params: { written_projects: projects, written_ms: sinceMs },
      reads: { projects, lastDay: ANY_DAY },
    }),
    firstDays: (projects) => ({
      ctes: [{ name: "first_days", sql: FIRST_DAYS }],
      params: { first_days_projects: projects },
      reads: { projects, lastDay: ANY_DAY },
    }),
  };
}

async function readStates(
  clickhouse: Pick<Clickhouse, "select">,
  scope: ReportScope,
): Promise<readonly ProjectState[]> {
  const params = {
    projects: scope.projects.map(({ id }) => id),
    first_day: scope.firstDay,
    last_day: scope.lastDay,
    without_bots_in: scope.projects.filter(({ withoutBots }) => withoutBots).map(({ id }) => id),
  };
  return (await clickhouse.select<ProjectState>(READ_STATES, { params })).rows;
}

type StateReader = (scope: ReportScope) => Promise<readonly ProjectState[]>;

/**
 * Reports of a dashboard arrive together and cover the same projects and days. The read takes no signal, so that an
 * aborted report does not cancel the read of the others.
 */
function shareReads(read: StateReader): StateReader {
  const shared = new Map<string, ReturnType<StateReader>>();
  return (scope) => {
    const projects = scope.projects.map(({ id, withoutBots }) => [id, withoutBots]);
    const key = JSON.stringify([projects, scope.firstDay, scope.lastDay]);
    const known = shared.get(key);
    if (known !== undefined) return known;
    const found = read(scope);
    shared.set(key, found);
    setTimeout(() => shared.delete(key), MARGINS.sharedReadMs).unref();
    found.catch(() => shared.delete(key));
    return found;
  };
}

function relationsOf(scope: ReportScope, states: readonly ProjectState[]): FoundRelations {
  const byId = new Map(states.map((state) => [state.project_id, state]));
  const pairs = (of: (state: ProjectState) => readonly string[]) =>
    states.flatMap((state) => of(state).map((day) => new Tuple(state.project_id, day)));
  const revisions = states.flatMap((state) => state.revisions);
  const dirtyDays = pairs((state) => state.dirty_days);
  const days = { clean: revisions.length > 0, dirty: dirtyDays.length > 0 };
  const narrow = (words: ReadonlySet<string>) => sessionsOf(days, words);
  return {
    ctes: [
      { name: "scope", sql: SCOPE },
      { name: "events", sql: EVENTS },
      { name: "rollups", sql: ROLLUPS },
      { name: "sessions", sql: narrow(new Set(SESSION_COLUMNS)), narrow },
      ...ALL_OPEN,
    ],
    params: {
      scope: scope.projects.map(({ id, firstDay }) => {
        const { removed_before = "", dirty_from = "1970-01-01" } = byId.get(id) ?? {};
        return new Tuple(id, latestDay([removed_before, firstDay]), dirty_from);
      }),
      scope_projects: scope.projects.map(({ id }) => id),
      scope_first_day: scope.firstDay,
      scope_last_day: scope.lastDay,
      scope_dedupe_days: [...new Set(states.flatMap((state) => state.window_dedupe_days))],
      scope_revisions: revisions,
      scope_dirty_keys: pairs((state) => state.dirty_dedupe_days),
      scope_dirty_days: dirtyDays,
    },
    noneRunning: true,
    // A clean partition's rows are those of its revision, and an event makes it dirty before it is stored.
    reads: { projects: scope.projects.map(({ id }) => id), lastDay: scope.lastDay, isSettled: !days.dirty },
  };
}

/** Over more days the statement would name so many changes of clocks that ClickHouse refuses it. */
const MANY_DAYS_MS = 3 * 365 * DAY_MS;
const STORED_DAYS = `SELECT toString(min(day)) AS first_day, toString(max(day)) AS last_day, count() AS n
FROM dirty_partitions WHERE project_id IN {first_days_projects:Array(String)}`;

/** Of many days only those around stored partitions: one is marked before its events are stored. */
async function withinStored(clickhouse: Pick<Clickhouse, "select">, scope: ReportScope): Promise<ReportScope> {
  if (Date.parse(scope.lastDay) - Date.parse(scope.firstDay) < MANY_DAYS_MS) return scope;
  const params = { first_days_projects: scope.projects.map(({ id }) => id) };
  type Stored = { first_day: string; last_day: string; n: number };
  const [stored] = (await clickhouse.select<Stored>(STORED_DAYS, { params })).rows;
  if (stored === undefined || Number(stored.n) === 0) return scope;
  const firstDay = latestDay([scope.firstDay, dayOf(Math.max(0, Date.parse(stored.first_day) - DAY_MS))]);
  const [lastDay = scope.lastDay] = [dayOf(Date.parse(stored.last_day) + DAY_MS), scope.lastDay].toSorted();
  return { ...scope, firstDay, lastDay: latestDay([firstDay, lastDay]) };
}

/** The same partitions, read for days of the zone. None of them is clean for it. */
function inZone(
  { params, reads }: FoundRelations,
  scope: ReportScope,
  zone: ZoneRows,
  states: readonly ProjectState[],
): FoundRelations {
  const days = {
    clean: states.some(({ revisions }) => revisions.length > 0),
    dirty: states.some(({ dirty_days }) => dirty_days.length > 0),
  };
  const { ctes, scope: first } = zoneCtes(scope, zone, days);
  return {
    ctes: [{ name: "scope", sql: SCOPE }, { name: "rollups", sql: `${ROLLUPS} AND 0` }, ...ctes, ...ALL_OPEN],
    params: {
      ...params,
      ...zone.params,
      scope: first.map(([id, firstDay]) => new Tuple(id, firstDay, ALL_DAYS.firstDay)),
    },
    noneRunning: true,
    reads,
  };
}

const ALL_DAYS = { firstDay: "1970-01-01", lastDay: "2149-06-05" } as const;

function profileRelations(
  scope: ReportScope,
  addresses: readonly string[] | undefined,
  states: readonly ProjectState[],
): { ctes: Cte[]; params: SelectParams } {
  const { params } = relationsOf(scope, states);
  const dirtyDays = states.flatMap((state) => state.dirty_days);
  const days = { clean: states.some((state) => state.revisions.length > 0), dirty: dirtyDays.length > 0 };
  const sessions = (words: ReadonlySet<string>) => sessionsOf(days, words);
  const profiles = profilesCte({ ...days, bySome: addresses !== undefined, dirtyEvents: DIRTY_EVENTS, sessions });
  const removed = new Map(states.map((state) => [state.project_id, state.removed_before]));
  return {
    ctes: [profiles],
    params: {
      ...params,
      profile_projects: scope.projects.map(({ id }) => id),
      profile_removed_before: scope.projects.map(({ id }) => removed.get(id) ?? ALL_DAYS.firstDay),
      profile_visits_from: visitsFrom(dirtyDays),
      ...(addresses === undefined ? {} : { profile_addresses: addresses }),
    },
  };
}

/**
 * The relations from which the rollups of a partition are computed: its events, the sessions up to its day, and the group
 * (rollup_group.sql), which is this partition alone.
 */
export function withPartition(sql: string): string {
  const events = `SELECT * FROM events_rows FINAL
WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)}`;
  const sessions = `SELECT ${SESSION_COLUMNS.join(", ")}
FROM session_rows WHERE project_id = {project:String} AND day <= {day:Date} AND revision IN {revisions:Array(UInt64)}`;
  const due = `SELECT
    {project:String} AS due_project, {day:Date} AS first_day, {day:Date} AS last_day, {without_bots:UInt8} AS without_bots`;
  return withParts(
    [
      { name: "due", sql: due },
      { name: "events", sql: events },
      { name: "sessions", sql: sessions },
    ],
    sql,
  );
}

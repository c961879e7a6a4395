/**
 * The relations of a report about days of a time zone. Sessions that midnight of the zone does not cut are their rows with
 * another day; the others are made from their events, those of each day by themselves.
 */
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { wordsOf } from "../../lib/sql-columns.ts";
import { DAY_MS } from "../../lib/time.ts";
import { sessionsInTwoReads } from "../../materialize/sessions.ts";
import { ALL_OPEN, type Cte, type FoundRelations, type ReportScope } from "../relations.ts";
import { SESSION_COLUMNS } from "../report-columns.ts";
import { KEPT_RELATION, type KeptRelation } from "../select.ts";
import { ALL_COLUMNS, eventColumnsIn, type ZoneDialect, type ZoneRows } from "../zone-sql.ts";

const SCOPE = `SELECT
    unnest({scope_projects:Array(String)}) AS project_id,
    unnest({scope_first_days:Array(Date)}) AS first_day,
    DATE '1970-01-01' AS dirty_from,
    DATE '9999-12-31' AS running_day`;

const IN_DAYS =
  "z.project_id IN {scope_projects:Array(String)} AND z.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}";

export const ZONE_DIALECT: ZoneDialect = {
  msOf: (time) => `epoch_ms(${time})`,
  dayOfMs: (ms) => `(DATE '1970-01-01' + CAST(greatest(${ms} // ${DAY_MS}, 0) AS INTEGER))`,
  xor: (a, b) => `xor(${a}, ${b})`,
  hash: (digits) => `CAST(${digits} AS UBIGINT)`,
};

/** `isComplete`: every session is stored. Otherwise `stored` computes those that are not. */
export function zoneRelations(
  { projects }: ReportScope,
  zone: ZoneRows,
  { stored, isComplete }: { readonly stored: string; readonly isComplete: boolean },
): FoundRelations {
  const events = (words: ReadonlySet<string>) =>
    `SELECT ${zone.columns(eventColumnsIn(words), "z.timestamp")} FROM main.events AS z WHERE ${inDays(zone)}`;
  const withSessions = (parts: (columns: readonly string[]) => string): Cte[] => {
    const narrow = (words: ReadonlySet<string>) => sessionsOf(zone, stored, parts, words);
    return [
      { name: "scope", sql: SCOPE },
      { name: "sessions", sql: narrow(new Set(SESSION_COLUMNS)), narrow },
      { name: "events", sql: events(ALL_COLUMNS), narrow: events },
      ...ALL_OPEN,
    ];
  };
  const ids = projects.map(({ id }) => id);
  return {
    ctes: withSessions((columns) => partsOf(zone, stored, columns)),
    params: {
      ...zone.params,
      scope_projects: ids,
      scope_first_days: projects.map(({ firstDay }) => firstDay),
      scope_first_day: zone.days.firstDay,
      scope_last_day: zone.days.lastDay,
    },
    reads: { projects: ids, lastDay: zone.days.lastDay },
    noneClean: true,
    noneRunning: true,
    ...(isComplete && { kept: { ...keptParts(zone), ctes: withSessions(fromKept) } }),
  };
}

const inDays = (zone: ZoneRows) => `${IN_DAYS} AND ${zone.isKept}`;
const isCut = (zone: ZoneRows) => `${zone.dayOf("z.started_at")} != ${zone.dayOf("z.ended_at")}`;
const fromKept = (columns: readonly string[]) => `SELECT ${columns.join(", ")} FROM ${KEPT_RELATION}`;

function sessionsOf(
  zone: ZoneRows,
  stored: string,
  parts: (columns: readonly string[]) => string,
  words: ReadonlySet<string>,
): string {
  const named = SESSION_COLUMNS.filter((name) => words.has(name));
  const columns = named.length > 0 ? named : SESSION_COLUMNS.slice(0, 1);
  return `SELECT ${zone.columns(columns, "z.started_at")} FROM ${stored} AS z WHERE ${inDays(zone)} AND NOT ${isCut(zone)}
UNION ALL
${parts(columns)}`;
}

const partsByShape = new BoundedCache<string>(500);

/** The parts of sessions that midnight of the zone cuts, from their events. The text takes milliseconds to write. */
function partsOf(zone: ZoneRows, stored: string, columns: readonly string[]): string {
  const shape = [stored, columns.join(), inDays(zone), isCut(zone)].join("\n");
  const known = partsByShape.find(shape);
  if (known !== undefined) return known;
  const parts = writeParts(zone, stored, columns);
  partsByShape.put(shape, parts);
  return parts;
}

function writeParts(zone: ZoneRows, stored: string, columns: readonly string[]): string {
  const events = eventColumnsIn(wordsOf(sessionsInTwoReads("", new Set(columns))));
  const cut = `(SELECT ${zone.columns(events, "z.timestamp")} FROM main.events AS z
    WHERE ${inDays(zone)} AND (z.project_id, z.session) IN (SELECT z.project_id, z.session FROM ${stored} AS z WHERE ${inDays(zone)} AND ${isCut(zone)}))`;
  return `SELECT ${columns.join(", ")} FROM (
${sessionsInTwoReads(cut, new Set(columns))}
) AS parts_of_days`;
}

/**
 * Planning the parts takes 30 to 60 ms for a report, and there are few of them. They depend on the events of the sessions
 * that are cut, and each event that comes to one of them changes its row: the mark is a hash of those rows.
 */
function keptParts(zone: ZoneRows): KeptRelation {
  const row = MARKED.map((name) => `z.${name}`).join(", ");
  return {
    rows: partsOf(zone, "main.sessions", SESSION_COLUMNS),
    // Each of them has two parts.
    mark: `SELECT CAST(coalesce(sum(hash(${row})), 0) AS VARCHAR) AS mark, 2 * count(*) AS n
FROM main.sessions AS z WHERE ${inDays(zone)} AND ${isCut(zone)}`,
  };
}

/** Ranks have the times and the keys of their events. */
const MARKED = [
  "session",
  "visitor",
  "started_at",
  "ended_at",
  "events",
  "touch_rank",
  "exit_rank",
  "address_rank",
] as const;

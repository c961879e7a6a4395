/**
 * The relations of a report about days of a time zone. Sessions that midnight of the zone does not cut are their rows with
 * another day; the others are made from their events, those of each day by themselves.
 */
import { wordsOf } from "../../lib/sql-columns.ts";
import { DAY_MS } from "../../lib/time.ts";
import { sessionsInTwoReads } from "../../materialize/sessions.ts";
import { ALL_OPEN, type FoundRelations, type ReportScope } from "../port.ts";
import { SESSION_COLUMNS } from "../report-columns.ts";
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

/** `stored` is the relation of stored sessions. */
export function zoneRelations({ projects }: ReportScope, zone: ZoneRows, stored: string): FoundRelations {
  const events = (words: ReadonlySet<string>) =>
    `SELECT ${zone.columns(eventColumnsIn(words), "z.timestamp")} FROM main.events AS z WHERE ${IN_DAYS} AND ${zone.isKept}`;
  const narrow = (words: ReadonlySet<string>) => sessionsOf(zone, stored, words);
  const ids = projects.map(({ id }) => id);
  return {
    ctes: [
      { name: "scope", sql: SCOPE },
      { name: "sessions", sql: narrow(new Set(SESSION_COLUMNS)), narrow },
      { name: "events", sql: events(ALL_COLUMNS), narrow: events },
      ...ALL_OPEN,
    ],
    params: {
      ...zone.params,
      scope_projects: ids,
      scope_first_days: projects.map(({ firstDay }) => firstDay),
      scope_first_day: zone.days.firstDay,
      scope_last_day: zone.days.lastDay,
    },
    reads: { projects: ids, lastDay: zone.days.lastDay },
  };
}

function sessionsOf(zone: ZoneRows, stored: string, words: ReadonlySet<string>): string {
  const named = SESSION_COLUMNS.filter((name) => words.has(name));
  const columns = named.length > 0 ? named : SESSION_COLUMNS.slice(0, 1);
  const isCut = `${zone.dayOf("z.started_at")} != ${zone.dayOf("z.ended_at")}`;
  const inDays = `${IN_DAYS} AND ${zone.isKept}`;
  const events = eventColumnsIn(wordsOf(sessionsInTwoReads("", new Set(columns))));
  const cut = `(SELECT ${zone.columns(events, "z.timestamp")} FROM main.events AS z
    WHERE ${inDays} AND (z.project_id, z.session) IN (SELECT z.project_id, z.session FROM ${stored} AS z WHERE ${inDays} AND ${isCut}))`;
  return `SELECT ${zone.columns(columns, "z.started_at")} FROM ${stored} AS z WHERE ${inDays} AND NOT ${isCut}
UNION ALL
SELECT ${columns.join(", ")} FROM (
${sessionsInTwoReads(cut, new Set(columns))}
) AS parts_of_days`;
}

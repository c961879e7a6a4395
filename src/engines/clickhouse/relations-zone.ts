/**
 * The relations of a report about days of a time zone. Sessions of clean partitions that midnight of the zone does not cut
 * are their rows with another day. All others are made from their events, those of each day by themselves.
 */
import { wordsOf } from "../../lib/sql-columns.ts";
import { DAY_MS } from "../../lib/time.ts";
import { sessionsInTwoReads } from "../../materialize/sessions.ts";
import type { Cte, ReportScope } from "../relations.ts";
import { SESSION_COLUMNS } from "../report-columns.ts";
import { ALL_COLUMNS, eventColumnsIn, type ZoneDialect, type ZoneRows } from "../zone-sql.ts";

const IN_DAYS =
  "z.project_id IN {scope_projects:Array(String)} AND z.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}";
/** A name in a condition would be that of the new column: the rows are chosen first. */
const stored = (isKept: string) => `(SELECT *, received_at FROM events_rows AS z FINAL
    WHERE ${IN_DAYS} AND z.dedupe_day IN {scope_dedupe_days:Array(Date)} AND ${isKept}) AS z`;

export const ZONE_DIALECT: ZoneDialect = {
  msOf: (time) => `toUnixTimestamp64Milli(${time})`,
  dayOfMs: (ms) => `toDate(toInt32(greatest(intDiv(${ms}, ${DAY_MS}), 0)))`,
  xor: (a, b) => `bitXor(${a}, ${b})`,
  hash: (digits) => `toUInt64(${digits})`,
};

/** `clean` and `dirty`: whether there are such partitions. */
export function zoneCtes(
  { projects }: ReportScope,
  zone: ZoneRows,
  states: { readonly clean: boolean; readonly dirty: boolean },
): { ctes: Cte[]; scope: (readonly [id: string, firstDay: string])[] } {
  const narrow = (words: ReadonlySet<string>) => sessionsOf(zone, states, words);
  const events = (words: ReadonlySet<string>) =>
    `SELECT ${zone.columns(eventColumnsIn(words), "z.timestamp")} FROM ${stored(zone.isKept)}`;
  return {
    ctes: [
      { name: "sessions", sql: narrow(new Set(SESSION_COLUMNS)), narrow },
      { name: "events", sql: events(ALL_COLUMNS), narrow: events },
    ],
    scope: projects.map(({ id, firstDay }) => [id, firstDay] as const),
  };
}

const REVISION = "z.revision IN {scope_revisions:Array(UInt64)}";
const DIRTY = `((z.project_id, z.dedupe_day) IN {scope_dirty_keys:Array(Tuple(String, Date))}
        AND (z.project_id, z.day) IN {scope_dirty_days:Array(Tuple(String, Date))})`;

function sessionsOf(
  zone: ZoneRows,
  { clean, dirty }: { readonly clean: boolean; readonly dirty: boolean },
  words: ReadonlySet<string>,
): string {
  const named = SESSION_COLUMNS.filter((name) => words.has(name));
  const columns = named.length > 0 ? named : SESSION_COLUMNS.slice(0, 1);
  const isCut = `${zone.dayOf("z.started_at")} != ${zone.dayOf("z.ended_at")}`;
  const rows = `(SELECT * FROM session_rows AS z WHERE ${IN_DAYS} AND ${REVISION} AND ${zone.isKept}) AS z`;
  const whole = `SELECT ${zone.columns(columns, "z.started_at")} FROM ${rows} WHERE NOT (${isCut})`;
  const cut = `(z.project_id, z.session) IN (SELECT z.project_id, z.session FROM ${rows} WHERE ${isCut})`;
  const made = [...(clean ? [cut] : []), ...(dirty ? [DIRTY] : [])];
  if (made.length === 0) return whole;
  const read = eventColumnsIn(wordsOf(sessionsInTwoReads("", new Set(columns))));
  const events = `(SELECT ${zone.columns(read, "z.timestamp")} FROM ${stored(zone.isKept)} WHERE ${made.join(" OR ")})`;
  const parts = `SELECT ${columns.join(", ")} FROM (\n${sessionsInTwoReads(events, new Set(columns))}\n)`;
  return clean ? `${whole}\nUNION ALL\n${parts}` : parts;
}

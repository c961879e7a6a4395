/**
 * Days of a time zone in SQL, the same on both engines. An event belongs to the day that the clocks of the zone show at its
 * time. A session lies within one UTC day; where midnight of the zone cuts it, its parts are sessions of the two days.
 */
import { DAY_MS, dayOf } from "../lib/time.ts";
import { type Shifts, shiftsBetween, startOfDay } from "../lib/time-zones.ts";
import { ADDED_COLUMNS, EVENT_COLUMNS } from "./event-columns.ts";
import type { ReportScope } from "./relations.ts";
import type { SelectParams } from "./select.ts";

export interface ZoneSql {
  /** What the clocks of the zone show at a time, both as milliseconds since 1970. */
  wallMs(ms: string): string;
  readonly params: SelectParams;
}

/** Between two moments. `name` begins the names of its parameters. */
export function zoneSql(zone: string, fromMs: number, toMs: number, name: string): ZoneSql {
  const shifts = shiftsBetween(zone, fromMs, toMs);
  const params = {
    ...toParams(`${name}_offset`, shifts.offsets),
    ...toParams(`${name}_change`, shifts.changes),
  };
  return { wallMs: (ms) => `(${ms} + ${offsetSql(shifts, name, ms, 0, shifts.changes.length)})`, params };
}

function toParams(name: string, values: readonly number[]): SelectParams {
  return Object.fromEntries(values.map((value, nth) => [`${name}${nth}`, value]));
}

/** By halves: all days since 1970 have up to 260 changes, of which a time is compared with nine. */
function offsetSql(shifts: Shifts, name: string, ms: string, first: number, last: number): string {
  if (first === last) return `{${name}_offset${first}:Int64}`;
  const middle = Math.floor((first + last) / 2);
  const [before, after] = [offsetSql(shifts, name, ms, first, middle), offsetSql(shifts, name, ms, middle + 1, last)];
  return `CASE WHEN ${ms} < {${name}_change${middle}:Int64} THEN ${before} ELSE ${after} END`;
}

/** The UTC days that have a moment of these days of the zone. */
interface UtcDays {
  readonly firstDay: string;
  readonly lastDay: string;
}

function utcDaysOf(zone: string, { firstDay, lastDay }: UtcDays): UtcDays {
  const after = dayOf(Date.parse(lastDay) + DAY_MS);
  return {
    firstDay: dayOf(Math.max(0, startOfDay(zone, firstDay))),
    lastDay: dayOf(Math.max(0, startOfDay(zone, after) - 1)),
  };
}

/** What the relations of an engine need to read the days of a zone from stored rows `z`. */
export interface ZoneRows {
  /** The UTC days of the scope. */
  readonly days: UtcDays;
  /** A condition: the project keeps the UTC day of the row. */
  readonly isKept: string;
  /** The day of a time of the row. */
  dayOf(time: string): string;
  /** Columns by their names. `day` and `session` are those of the part of the day that has this time. */
  columns(names: readonly string[], time: string): string;
  readonly params: SelectParams;
}

/** Two numbers that are unlikely to lie between two hashes: the parts of a session before and after midnight differ. */
const LATER = "6148914691236517205";
const EARLIER = "12297829382473034410";

export const ALL_COLUMNS: ReadonlySet<string> = new Set([...ADDED_COLUMNS, ...EVENT_COLUMNS].map(([name]) => name));

/** Those columns of events that are among the words of a statement: planning all of them took longer than a report. */
export function eventColumnsIn(words: ReadonlySet<string>): readonly string[] {
  const names = [...ADDED_COLUMNS, ...EVENT_COLUMNS].map(([name]) => name);
  const named = names.filter((name) => words.has(name));
  return named.length > 0 ? named : names.slice(0, 1);
}

/** Expressions of an engine. Those of DuckDB are its own functions: each use of a macro is planned anew. */
export interface ZoneDialect {
  /** Milliseconds since 1970. */
  msOf(time: string): string;
  /** A day from the milliseconds that clocks show. */
  dayOfMs(ms: string): string;
  xor(a: string, b: string): string;
  hash(digits: string): string;
}

export function zoneRows(scope: ReportScope, dialect: ZoneDialect): ZoneRows | undefined {
  if (scope.zone === undefined) return undefined;
  const { name, kept } = scope.zone;
  const days = utcDaysOf(name, scope);
  const { wallMs, params } = zoneSql(name, Date.parse(days.firstDay), Date.parse(days.lastDay) + DAY_MS - 1, "zone");
  const dayOfTime = (time: string) => dialect.dayOfMs(wallMs(dialect.msOf(time)));
  const sessionAt = (time: string) => {
    const day = dayOfTime(time);
    const other = `CASE WHEN ${day} > z.day THEN ${dialect.hash(LATER)} ELSE ${dialect.hash(EARLIER)} END`;
    return `CASE WHEN ${day} = z.day THEN z.session ELSE ${dialect.xor("z.session", other)} END`;
  };
  const limits = kept.map(
    (_, nth) => `(z.project_id != {zone_kept${nth}:String} OR z.day >= {zone_kept_from${nth}:Date})`,
  );
  return {
    days,
    isKept: limits.length === 0 ? "1 = 1" : limits.join(" AND "),
    dayOf: dayOfTime,
    columns: (names, time) =>
      names
        .map((column) => {
          if (column === "day") return `${dayOfTime(time)} AS day`;
          return column === "session" ? `${sessionAt(time)} AS session` : column;
        })
        .join(", "),
    params: {
      ...params,
      ...Object.fromEntries(
        kept.flatMap(({ id, firstDay }, nth) => [
          [`zone_kept${nth}`, id],
          [`zone_kept_from${nth}`, firstDay],
        ]),
      ),
    },
  };
}

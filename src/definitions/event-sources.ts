/** Where the events of sessions and revenue come from. */
import { readFileSync } from "node:fs";

const readSql = (name: string) => readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8");
/** `FROM events WHERE ...`: the events of open days, by the parameters of `placeOf`. */
export const EVENTS = readSql("events");
const SNAPSHOT = readSql("snapshot");
const CHANGED = readSql("changed");

/** What makes two events copies of one message. 64 bits of it: two of a million messages are mistaken for one in 40 million such days. */
const KEY = "cityHash64(project_id, events.day, cityHash64(message_id))";
/** The furthest of a project, which may have two days that run. What a build has of it already is recognised by its keys. */
const CUT =
  "transform(toString(project_id), {running_projects:Array(String)}, {running_cuts:Array(UInt64)}, toUInt64(0))";
const withKeys = (sql: string) => sql.replaceAll("/*key*/", KEY).replaceAll("/*cut*/", CUT);
const RECEIVED = withKeys(readSql("received"));
const DELTA = withKeys(readSql("delta"));

/** An event has a signal when it tells itself where its visitor came from. */
const SIGNAL = readSql("signal").trim();
/** Whether an event of a source has one, which changed events know as a column. */
export const signalSql = (source: Source) => (isChanged(source) ? "signal" : SIGNAL);
/** What their order is decided by at last. */
export const messageSql = (source: Source) => (source === "open" ? MESSAGE : "message");
const MESSAGE = "cityHash64(message_id)";

/**
 * Whose events: all of open days, those of a build of a running one, or those of sessions that got some since. Of the last, `change` tells
 * what the sessions are now (kind 1) from what they were before (kind 2).
 */
export type Source = "open" | "snapshot" | "changed" | "change";
const isChanged = (source: Source) => source === "changed" || source === "change";

/** `FROM ... WHERE ...`: the events of a source; changed ones with the columns that `deltaSql` was given. */
export function eventsSql(source: Source, fields: readonly string[]): string {
  if (source === "open") return EVENTS;
  if (source === "snapshot") return SNAPSHOT;
  const built = fields.map((field) => (field === "timestamp" ? field : `${plain(field, "message")} AS ${field}`));
  const row = fields.map((field, index) => `one.${index + 6} AS ${field}`);
  return CHANGED.replace("/*built*/", built.join(", "))
    .replace("/*row*/", row.join(", "))
    .replace("/*kinds*/", source === "change" ? "[1, 2]" : "[1]");
}

const NUMBERS = ["timestamp", "has_touch", "volume", "revenue", "points"];

/** Texts must not be LowCardinality as part of a statement. */
function plain(field: string, message: string): string {
  if (field === "message") return message;
  if (field === "signal") return SIGNAL;
  return NUMBERS.includes(field) ? field : `toString(events.${field})`;
}

/**
 * What a statement that reads changed events begins with: `delta` and what belongs to it, with the columns of events that are asked for.
 * They become part of the statement, where 1,500 rows more take 3 to 20 ms. `only`: the condition that the copy of a message which was
 * received first must meet.
 */
export function deltaSql(fields: readonly string[], only?: string): string {
  const names = ["key", "session", "visitor", "project", "first", ...fields];
  const columns = [
    KEY,
    "session",
    "visitor",
    "toString(project_id)",
    "first",
    ...fields.map((field) => plain(field, MESSAGE)),
  ];
  const received = (selected: string) => RECEIVED.replace("/*fields*/", selected);
  const rows = (of: readonly string[]) => `groupArray((${of.join(", ")}))`;
  if (only === undefined) return DELTA.replace("/*received*/", received(rows(columns)));
  const named = columns.map((column, index) => `${column} AS ${names[index]}`).join(", ");
  const firstCopies = `${received(named)} ORDER BY first DESC LIMIT 1 BY key`;
  return DELTA.replace("/*received*/", `SELECT ${rows(names)} FROM (${firstCopies}) WHERE ${only}`);
}

type Pair = readonly [project: string, day: string];

/** The parameters of `events.sql` besides the pairs, and whether they say the same without them, or nearly so of where to look. */
export function placeOf(days: readonly Pair[], keys: readonly Pair[]) {
  const projectsOf = (pairs: readonly Pair[]) => [...new Set(pairs.map(([project]) => project))];
  const daysOf = (pairs: readonly Pair[]) => [...new Set(pairs.map(([, day]) => day))];
  const grid = (pairs: readonly Pair[]) => projectsOf(pairs).length * daysOf(pairs).length;
  return {
    isGrid: grid(days) === days.length && grid(keys) <= 2 * keys.length,
    params: { open_projects: projectsOf(days), open_days: daysOf(days), key_days: daysOf(keys) },
  };
}

/**
 * The SQL of sessions and of revenue, for who writes them down (warehouse) and who reads them as they are (query). A caller names the
 * columns it needs: the engine takes 0.4 ms to plan each, used or not, and there are 50.
 */
import { readFileSync } from "node:fs";

const readSql = (name: string) => readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8");
/** `FROM events WHERE ...`: the events of open days, by the parameters of `placeOf`. */
export const EVENTS = readSql("events");
const SESSIONS = readSql("sessions").replace("/*events*/", EVENTS);
const REVENUE = readSql("revenue");

const ACQUIRED = [
  "referrer",
  "referrer_url",
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "channel",
] as const;
const PLACES = ["origin", "pathname", "builder_codes"] as const;
const SURROUNDINGS = ["device", "browser", "os", "location", "rdns", "provider_name", "chain_id"] as const;
/** How the first touch of a session describes it: filters and breakdowns ask for these. */
export const TOUCH_COLUMNS = [...ACQUIRED, "origin", "builder_codes", "device", "browser", "os", "location"] as const;
/** What filters ask of the events of a session, each as an array named `e_...`. */
export const EVENT_COLUMNS = ["type", "event", "page", "chain", "address", "volume", "revenue", "points"] as const;
/** What an event with revenue is counted under, and what filters ask of it. */
export const REVENUE_COLUMNS = [...ACQUIRED, ...PLACES, ...SURROUNDINGS] as const;
export const OWN_COLUMNS = [
  "event",
  "type",
  "own_page",
  "own_chain",
  "address",
  "volume",
  "revenue",
  "points",
] as const;

/** Where a name of ours is another one in `events`. */
const STORED_AS: Readonly<Record<string, string>> = { channel: "acquisition", page: "pathname", chain: "chain_id" };
const stored = (name: string) => `events.${STORED_AS[name] ?? name}`;

function sessionColumn(name: string): string {
  if (name === "project_id" || name === "session") return name;
  if (name === "day") return "toDate(timestamp) AS day";
  if (name === "is_live") return "true AS is_live";
  if (name === "visitors") return "groupUniqArray(visitor) AS visitors";
  if (name === "hits") return "countIf(type = 'page') AS hits";
  if (name === "r_signal") return "groupArrayIf(has_signal, events.revenue != 0) AS r_signal";
  if (name.startsWith("e_")) return `groupArray(${stored(name.slice(2))}) AS ${name}`;
  if (name.startsWith("r_")) return `groupArrayIf(${stored(name.slice(2))}, events.revenue != 0) AS ${name}`;
  return `argMin(${stored(name)}, rank) AS ${name}`;
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

interface SessionOptions {
  /** Only the sessions of one part of them, by the parameters `chunks` and `chunk`. */
  chunked?: boolean;
}

/** The engine reads a statement twice and takes 6.5 us for each name or value: 0.2 ms for a signal that nobody asks for. */
const SIGNAL = /\/\*signal{\*\/(.*)\/\*}signal\*\//s;

export function sessionsSql(columns: readonly string[], options: SessionOptions = {}): string {
  const selected = [...new Set(columns)].map(sessionColumn).join(", ");
  return SESSIONS.replace(SIGNAL, selected.includes("has_signal") ? "$1" : "")
    .replace("/*columns*/", selected)
    .replace("/*only*/", options.chunked ? "AND session % {chunks:UInt32} = {chunk:UInt32}" : "");
}

/** An own column of an event with revenue -> the array it is in. */
const OWN_ARRAYS: Readonly<Record<string, string>> = { own_page: "r_pathname", own_chain: "r_chain_id" };

function revenueColumn(name: string): string {
  if (name === "project_id" || name === "day") return name;
  if (isIn(ACQUIRED, name)) return `if(r_signal, r_${name}, s.${name}) AS ${name}`;
  if (isIn(PLACES, name)) return `multiIf(r_${name} != '', r_${name}, r_signal, '', s.${name}) AS ${name}`;
  if (isIn(SURROUNDINGS, name)) return `if(r_${name} != '', r_${name}, s.${name}) AS ${name}`;
  return `${OWN_ARRAYS[name] ?? `r_${name}`} AS ${name}`;
}

export function revenueSql(columns: readonly string[], options: SessionOptions = {}): string {
  const names = [...new Set(columns)];
  const resolved = names.filter((name) => isIn(REVENUE_COLUMNS, name));
  const own = names.filter((name) => isIn(OWN_COLUMNS, name)).map((name) => OWN_ARRAYS[name] ?? `r_${name}`);
  const signal = resolved.some((name) => !isIn(SURROUNDINGS, name)) ? ["r_signal"] : [];
  const arrays = [...new Set([...resolved.map((name) => `r_${name}`), ...own, ...signal])];
  return REVENUE.replace("/*columns*/", names.map(revenueColumn).join(", "))
    .replace("/*sessions*/", sessionsSql(["project_id", "day", ...resolved, ...arrays], options))
    .replace("/*arrays*/", arrays.join(", "));
}

function isIn(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

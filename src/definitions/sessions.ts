/**
 * The SQL of sessions and of revenue, for who writes them down (warehouse) and who reads them as they are (query). A caller names the
 * columns it needs: the engine takes 0.4 ms to plan each, used or not, and there are 50.
 */
import { readFileSync } from "node:fs";
import { eventsSql, messageSql, type Source, signalSql } from "./event-sources.ts";

const readSql = (name: string) => readFileSync(new URL(`./${name}.sql`, import.meta.url), "utf8");
const SESSIONS = readSql("sessions");
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
/** What sources are broken down by, in the order of `visits.touch`. */
export const VISIT_COLUMNS: readonly string[] = [...ACQUIRED, "origin", "device", "browser", "os"];
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
  if (name === "project_id" || name === "session" || name === "kind") return name;
  if (name === "day") return "toDate(timestamp) AS day";
  if (name === "visitors") return "groupUniqArray(visitor) AS visitors";
  if (name === "hits") return "countIf(type = 'page') AS hits";
  if (name === "r_signal") return "groupArrayIf(has_signal, events.revenue != 0) AS r_signal";
  if (name.startsWith("e_")) return `groupArray(${stored(name.slice(2))}) AS ${name}`;
  if (name.startsWith("r_")) return `groupArrayIf(${stored(name.slice(2))}, events.revenue != 0) AS ${name}`;
  return `argMin(${stored(name)}, rank) AS ${name}`;
}

/** The columns of `events` that a column of a session is made from, besides those that every session needs. */
function fieldsOf(name: string): string[] {
  if (["project_id", "session", "kind", "day", "visitors", "hits"].includes(name)) return [];
  if (name === "r_signal") return ["revenue", "signal"];
  const field = name.replace(/^[er]_/, "");
  return [...(name.startsWith("r_") ? ["revenue"] : []), STORED_AS[field] ?? field];
}

/** Of every event that a session is made from. */
const SESSION_FIELDS = ["timestamp", "has_touch", "type", "message"];
interface SessionOptions {
  source?: Source;
  /** Only the sessions of one part of them, by the parameters `chunks` and `chunk`. */
  chunked?: boolean;
}

/** The columns of events that sessions with these columns are made from. */
export function sessionFields(columns: readonly string[]): string[] {
  const ofAll = ["project_id", "session", "visitor"];
  return [...new Set([...SESSION_FIELDS, ...columns.flatMap(fieldsOf)])].filter((field) => !ofAll.includes(field));
}

export function sessionsSql(columns: readonly string[], { source = "open", chunked }: SessionOptions = {}): string {
  const names = [...new Set(columns)];
  const columnOf = (name: string) => (name === "kind" && source !== "change" ? "1 AS kind" : sessionColumn(name));
  return SESSIONS.replace("/*columns*/", names.map(columnOf).join(", "))
    .replace("/*message*/", messageSql(source))
    .replace("/*signal*/", signalSql(source))
    .replace("/*events*/", eventsSql(source, sessionFields(names)))
    .replace("/*by*/", source === "change" ? ", kind" : "")
    .replace("/*only*/", chunked ? "AND session % {chunks:UInt32} = {chunk:UInt32}" : "");
}

/** An own column of an event with revenue -> the array it is in. */
const OWN_ARRAYS: Readonly<Record<string, string>> = { own_page: "r_pathname", own_chain: "r_chain_id" };

function revenueColumn(name: string): string {
  if (isOfSession(name)) return name;
  if (isIn(ACQUIRED, name)) return `if(r_signal, r_${name}, s.${name}) AS ${name}`;
  if (isIn(PLACES, name)) return `multiIf(r_${name} != '', r_${name}, r_signal, '', s.${name}) AS ${name}`;
  if (isIn(SURROUNDINGS, name)) return `if(r_${name} != '', r_${name}, s.${name}) AS ${name}`;
  return `${OWN_ARRAYS[name] ?? `r_${name}`} AS ${name}`;
}

function readForRevenue(columns: readonly string[]) {
  const names = [...new Set(columns)];
  const resolved = names.filter((name) => isIn(REVENUE_COLUMNS, name));
  const own = names.filter((name) => isIn(OWN_COLUMNS, name)).map((name) => OWN_ARRAYS[name] ?? `r_${name}`);
  const signal = resolved.some((name) => !isIn(SURROUNDINGS, name)) ? ["r_signal"] : [];
  const arrays = [...new Set([...resolved.map((name) => `r_${name}`), ...own, ...signal])];
  return { names, arrays, ofSessions: [...names.filter(isOfSession), ...resolved, ...arrays] };
}

/** The columns of events that revenue with these columns is made from. */
export const revenueFields = (columns: readonly string[]) => sessionFields(readForRevenue(columns).ofSessions);

export function revenueSql(columns: readonly string[], options: SessionOptions = {}): string {
  const { names, arrays, ofSessions } = readForRevenue(columns);
  return REVENUE.replace("/*columns*/", names.map(revenueColumn).join(", "))
    .replace("/*sessions*/", sessionsSql(ofSessions, options))
    .replace("/*arrays*/", arrays.join(", "));
}

const isOfSession = (name: string) => ["project_id", "day", "session", "kind"].includes(name);

function isIn(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

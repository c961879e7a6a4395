/**
 * The SQL of sessions and of revenue, for who writes them down (warehouse) and who reads them as they are (query). A caller names the
 * columns it needs: the engine takes 0.4 ms to plan each, used or not, and there are 50.
 */
import { readFileSync } from "node:fs";

const SESSIONS = readFileSync(new URL("./sessions.sql", import.meta.url), "utf8");
const REVENUE = readFileSync(new URL("./revenue.sql", import.meta.url), "utf8");

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
/** What decides whether an event tells where its visitor came from. */
const SIGNALS = ACQUIRED.filter((name) => name !== "referrer_url");

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
  if (name === "visitors") return "groupUniqArray(visitor) AS visitors";
  if (name === "hits") return "countIf(type = 'page') AS hits";
  if (name.startsWith("e_")) return `groupArray(${stored(name.slice(2))}) AS ${name}`;
  if (name.startsWith("r_")) return `groupArrayIf(${stored(name.slice(2))}, events.revenue != 0) AS ${name}`;
  return `argMin(${stored(name)}, rank) AS ${name}`;
}

/** `chunked`: only the sessions of one part of them, by the parameters `chunks` and `chunk`. */
export function sessionsSql(columns: readonly string[], options: { chunked?: boolean } = {}): string {
  return SESSIONS.replace("/*columns*/", [...new Set(columns)].map(sessionColumn).join(", ")).replace(
    "/*chunk*/",
    options.chunked ? "AND session % {chunks:UInt32} = {chunk:UInt32}" : "",
  );
}

/** An own column of an event with revenue -> the array it is in. */
const OWN_ARRAYS: Readonly<Record<string, string>> = { own_page: "r_pathname", own_chain: "r_chain_id" };

function revenueColumn(name: string): string {
  if (name === "project_id" || name === "day") return name;
  if (isIn(ACQUIRED, name)) return `if(has_signal, r_${name}, s.${name}) AS ${name}`;
  if (isIn(PLACES, name)) return `multiIf(r_${name} != '', r_${name}, has_signal, '', s.${name}) AS ${name}`;
  if (isIn(SURROUNDINGS, name)) return `if(r_${name} != '', r_${name}, s.${name}) AS ${name}`;
  return `${OWN_ARRAYS[name] ?? `r_${name}`} AS ${name}`;
}

export function revenueSql(columns: readonly string[], options: { chunked?: boolean } = {}): string {
  const names = [...new Set(columns)];
  const resolved = names.filter((name) => isIn(REVENUE_COLUMNS, name));
  const own = names.filter((name) => isIn(OWN_COLUMNS, name)).map((name) => OWN_ARRAYS[name] ?? `r_${name}`);
  const signals = resolved.some((name) => !isIn(SURROUNDINGS, name)) ? SIGNALS : [];
  const arrays = [...new Set([...resolved.map((name) => `r_${name}`), ...own, ...signals.map((name) => `r_${name}`)])];
  const sessions = sessionsSql(["project_id", "day", ...resolved, ...arrays], options);
  const sql = signals.length > 0 ? REVENUE : REVENUE.replace(/WITH[\s\S]*?AS has_signal\n/, "");
  return sql
    .replace("/*columns*/", names.map(revenueColumn).join(", "))
    .replace("/*sessions*/", sessions)
    .replace("/*arrays*/", arrays.join(", "));
}

function isIn(list: readonly string[], name: string): boolean {
  return list.includes(name);
}

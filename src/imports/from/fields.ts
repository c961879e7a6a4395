/** Reading the fields of native rows. A mapper says what is where; this file says what a text, a time or a wallet is. */
import { findAddress } from "../../contract/addresses.ts";
import { isNestedDeeper } from "../../lib/json.ts";
import { keepNumbersOf, parseKeepingNumbers } from "../../lib/json-numbers.ts";
import { findTime } from "../../lib/time.ts";
import { type Fields, RefusedRow } from "../imported-event.ts";
import { DEEPEST_ROW } from "../read/read-row.ts";

/** Campaign tags and click ids, which all products store under the names that URLs have. */
const CAMPAIGN = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "gclid",
  "gad_source",
  "fbclid",
  "msclkid",
  "ttclid",
  "twclid",
  "li_fat_id",
  "rdt_cid",
] as const;

/** An address of the visitor's machine is never stored. */
const MACHINE_ADDRESSES: ReadonlySet<string> = new Set(["ip", "$ip", "ip_address", "visitIp", "ipAddress"]);

export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** The first that has text. */
export function firstText(...values: readonly unknown[]): string {
  for (const value of values) {
    const text = textOf(value);
    if (text !== "") return text;
  }
  return "";
}

/** An object, or the text of one; the empty object for anything else. */
export function fieldsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  if (typeof value !== "string" || !value.trimStart().startsWith("{")) return {};
  try {
    const parsed: unknown = parseKeepingNumbers(value);
    return isFields(parsed) && !isNestedDeeper(parsed, DEEPEST_ROW) ? parsed : {};
  } catch {
    // A text that only looks like an object is no object.
    return {};
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without what says nothing, and without addresses of machines: an absent field and an empty one are the same. */
export function compact(fields: Fields): Fields {
  return selectFields(fields, () => true);
}

/** The same of some fields. Numbers that a double cannot hold, such as amounts in wei, stay as the file has them. */
export function selectFields(fields: Fields, isWanted: (name: string) => boolean): Fields {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null || value === "") continue;
    if (!MACHINE_ADDRESSES.has(name) && isWanted(name)) kept[name] = value;
  }
  keepNumbersOf(fields, kept);
  return kept;
}

export function campaignOf(fields: Fields): Fields {
  const found: Record<string, unknown> = {};
  for (const name of CAMPAIGN) if (textOf(fields[name]) !== "") found[name] = textOf(fields[name]);
  return found;
}

/** A text of RFC 3339, or a number of seconds, milliseconds or microseconds since 1970: their sizes tell them apart. */
export function getTime(value: unknown, field: string): number {
  const text = textOf(value).trim();
  if (text === "") throw new RefusedRow(`it has no ${field}`);
  const found = /^\d{9,17}(?:\.\d+)?$/.test(text) ? epochMs(Number(text)) : findTime(zoned(text));
  if (found === undefined)
    throw new RefusedRow(`${field} is ${shown(text)}, and a time such as 2026-01-31T12:00:00Z was expected`);
  return found;
}

function epochMs(number: number): number {
  if (number < 1e11) return number * 1000;
  return Math.floor(number < 1e14 ? number : number / 1000);
}

/** BigQuery and ClickHouse print ` UTC` behind a time, PostgreSQL a zone of two digits. */
function zoned(text: string): string {
  return text.replace(/ UTC$/, "Z");
}

export function getText(fields: Fields, field: string): string {
  const text = textOf(fields[field]);
  if (text === "") throw new RefusedRow(`it has no ${field}`);
  return text;
}

/** For an error: short, on one line. */
export function shown(text: string): string {
  const line = text.replaceAll(/\p{Cc}/gu, " ");
  return `"${line.length > 60 ? `${line.slice(0, 60)}...` : line}"`;
}

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
const WALLET_FIELDS = ["address", "wallet_address", "walletAddress", "wallet"] as const;

/**
 * The wallet of an event: a property with such a name, or an id of the user that is an EVM address. Ids of users that
 * are no wallets may look like addresses of Solana.
 */
export function walletOf(properties: Fields, ...ids: readonly string[]): string {
  for (const name of WALLET_FIELDS) {
    const text = textOf(properties[name]);
    if (findAddress(text) !== undefined) return text;
  }
  return ids.find((id) => EVM_ADDRESS.test(id)) ?? "";
}

export function urlOf(host: string, path: string, query: string): string {
  if (host === "") return "";
  const mark = query === "" || query.startsWith("?") ? "" : "?";
  return `https://${host}${path.startsWith("/") || path === "" ? "" : "/"}${path}${mark}${query}`;
}

/** Products write versions and vendors into the name of a system: `Windows 10`, `Android OS`, `GNU/Linux`. */
export function osWord(name: string): string {
  const lower = name.toLowerCase();
  if (lower.startsWith("windows")) return "windows";
  if (lower.startsWith("android")) return "android";
  if (/^(?:ios|iphone|ipad|ipod|apple iphone|apple ipad)/.test(lower)) return "ios";
  if (/^(?:mac|os x|darwin)/.test(lower)) return "macos";
  if (/linux|ubuntu|debian|fedora/.test(lower)) return "linux";
  return lower.startsWith("chrom") ? "chromeos" : lower;
}

export function deviceWord(name: string): string {
  const lower = name.toLowerCase();
  if (lower === "laptop" || lower === "web") return "desktop";
  return lower === "phablet" ? "smartphone" : lower;
}

let codesByName: ReadonlyMap<string, string> | undefined;

/** ISO alpha-2 of a country by its code or its English name. */
export function countryCode(country: string): string {
  if (country.length === 2) return country.toUpperCase();
  codesByName ??= readCountryNames();
  return codesByName.get(country.toLowerCase()) ?? "";
}

/** Names that products print and that Unicode's list spells in another way. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  turkey: "TR",
  "czech republic": "CZ",
  macedonia: "MK",
  swaziland: "SZ",
  "ivory coast": "CI",
  "hong kong": "HK",
  macao: "MO",
  palestine: "PS",
  "south korea": "KR",
  vietnam: "VN",
};

function readCountryNames(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const found = new Map(Object.entries(OTHER_NAMES));
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  for (const code of letters.flatMap((one) => letters.map((other) => one + other))) {
    // A code that was replaced, such as DD or BU, has the name of its successor.
    if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) continue;
    const name = names.of(code)?.toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, code);
  }
  return found;
}

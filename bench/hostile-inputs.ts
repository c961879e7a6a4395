/** Requests that are small to send and were made to cost much. */
import { zstdCompressSync } from "node:zlib";
import { DAY_MS, dayOf } from "../src/lib/time.ts";

export interface HostileInput {
  readonly server: "api" | "events";
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** It reads all wallets of the hostile workspace, which must have many. */
  readonly readsWallets?: boolean;
  /** It reads what happened in the last weeks. */
  readonly readsHistory?: boolean;
}

const MIB = 1024 * 1024;
const BYTES = 10 * MIB;
const EVENT = '{"type":"page","channel":"web","version":"1","anonymous_id":"a"}';
const filled = (open: string, item: string, close: string, bytes = BYTES) =>
  open + item.repeat(Math.floor((bytes - open.length - close.length - 2) / item.length)) + close;

function packed(body: string, type = "application/json"): HostileInput {
  const headers = { "content-type": type, "content-encoding": "zstd" };
  return {
    server: "events",
    method: "POST",
    path: "/v0/raw_events",
    body: new Uint8Array(zstdCompressSync(body)),
    headers,
  };
}

function posted(path: string, body: string): HostileInput {
  const headers = { "content-type": "application/json" };
  return { server: "api", method: "POST", path, body: new Uint8Array(Buffer.from(body)), headers };
}

const got = (path: string): HostileInput => ({ server: "api", method: "GET", path });
const filters = (value: unknown, count: number) =>
  encodeURIComponent(JSON.stringify(Array.from({ length: count }, () => ({ field: "revenue", op: "gt", value }))));
const overWallets = (input: HostileInput): HostileInput => ({ ...input, readsWallets: true });
const CONDITIONS = Array.from({ length: 20 }, (_, i) => ({ field: "users.revenue", op: "gte", value: i + 1 }));
const USER_ALERT = {
  trigger_type: "user",
  trigger_filters: Array.from({ length: 20 }, (_, i) => ({ field: "revenue", op: "gte", value: String(i) })),
};
/** 8,640 windows of 30 days, and those of eight weeks before each. */
const METRIC_ALERT = {
  trigger_type: "metric",
  metric: {
    ...{ of: "report", report: "kpis", value: "visitors" },
    ...{ window: { value: 24, unit: "hours" }, every: { value: 5, unit: "minutes" }, condition: { kind: "unusual" } },
  },
};
const form = (text: string) => `{"title":"t","fields":[${text}]}`;
const sql = (query: string) => posted("/v0/query", JSON.stringify({ query }));

export const HOSTILE_INPUTS: Readonly<Record<string, () => HostileInput>> = {
  "10 MiB of [{},{},...]": () => packed(filled("[", "{},", "{}]")),
  "10 MiB of [[],[],...]": () => packed(filled("[", "[],", "[]]")),
  "900,000 keys in one object": () =>
    packed(`{${Array.from({ length: 900_000 }, (_, i) => `"${i.toString(36)}":1`).join(",")}}`),
  "10 MiB of {} lines": () => packed("{}\n".repeat(BYTES / 3), "application/x-ndjson"),
  "an event and 10 MiB of spaces": () => packed(EVENT.padEnd(BYTES)),
  "40 events of 255 KiB": () =>
    packed(
      `[${Array.from({ length: 40 }, () => EVENT.replace("}", `,"properties":{"a":"${"a".repeat(255 * 1024)}"}}`)).join(",")}]`,
    ),
  "a number of 4,000 digits in 15 filters": () => got(`/v0/top_sources?filters=${filters(`${"1".repeat(4000)}x`, 15)}`),
  "1 MiB of fields [0,0,...]": () => posted("/api/forms", filled('{"title":"t","fields":[', "0,", "0]}", MIB)),
  "1 MiB of options [{},{},...]": () =>
    posted("/api/forms", form(filled('{"label":"a","type":"select","options":[', "{},", "{}]}", MIB - 100))),
  "1 MiB of nested arrays": () => posted("/api/forms", `${"[".repeat(MIB / 2)}${"]".repeat(MIB / 2)}`),
  "the last of many pages": () => got("/api/forms?page=1000000&size=100"),
  "the whole description": () => got("/openapi.json"),
  "a statement of 60 KB of brackets": () => sql(`SELECT ${"(".repeat(30_000)}1${")".repeat(30_000)}`),
  "a statement of 60 KB of spaces": () => sql(`SELECT 1${" ".repeat(60_000)};x`),
  "a cross join": () => sql("SELECT count() FROM events a, events b, events c, events d"),
  "a regular expression over all events": () => sql("SELECT countIf(match(page_url, '(a+)+$')) FROM events"),
  "a text in the names of all wallets": () => overWallets(got("/v0/profiles?search=a0&size=1000")),
  "the last page of all wallets": () => overWallets(got("/v0/profiles?page=100000&size=1000&order_by=revenue")),
  "20 conditions on all wallets": () =>
    overWallets(posted("/v0/profiles/search?size=1000", JSON.stringify({ filters: CONDITIONS, logic: "or" }))),
  "a preview of an alert on all wallets": () => overWallets(posted("/v0/alerts/preview", JSON.stringify(USER_ALERT))),
  "a preview of visitors every five minutes": () => ({
    ...posted("/v0/alerts/preview", JSON.stringify(METRIC_ALERT)),
    readsHistory: true,
  }),
  "1 MiB of properties of wallets": () => posted("/v0/profiles/properties", filled("[", "{},", "{}]", MIB)),
  "a report with the most rows there may be": () =>
    got(`/v0/kpis?date_from=${dayOf(Date.now() - 415 * DAY_MS)}&interval=hour`),
};

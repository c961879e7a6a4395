/** Events of two projects with values that engines like to treat differently, in both engines. */
import { createRelations } from "../../../src/engines/clickhouse/relations.ts";
import { createRunUserQuery } from "../../../src/engines/clickhouse/user-sql/run.ts";
import type { Relations } from "../../../src/engines/relations.ts";
import type { ExportedRow } from "../../../src/engines/source-tables.ts";
import type { RunUserQuery } from "../../../src/engines/user-sql/user-query.ts";
import { DAY_MS } from "../../../src/lib/time.ts";
import { createEventStore } from "../../query/store-rows.ts";
import { BLANK_ROW } from "../../support/blank-row.ts";
import { startClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { startLocalEngine } from "../../support/local-engine.ts";

export const PROJECT = "prj_own";
const OTHER_PROJECT = "prj_other";
const FIRST_MS = Date.parse("2026-02-27T00:00:00Z");
const EVENTS = 72;

const TYPES = ["page", "track", "transaction", "connect"];
const NAMES = [
  "",
  "Buy",
  "buy",
  "Äpfel, Birnen",
  "жук",
  "日本語",
  "😀 a",
  "100%",
  "a_b",
  " x ",
  "it's",
  'q"q',
  "back\\slash",
];
const USERS = ["", "u1", "u2", "U1", "12", "-3.5", "0x1F", "1e3"];
const ADDRESSES = ["", "0xaa", "0xbb", "0xcc"];
/** Multiples of 1/4 up to 2^40: every sum of them is exact, whatever its order. */
const AMOUNTS = [0, 0.25, -0.25, 0.5, 1.5, 2.5, -2.5, 3, 99.75, -1000, 65_536, 2 ** 40, -(2 ** 31)];
const CAMPAIGNS = ["", "spring", "Spring", "весна", "a,b", ",", "a,,b"];
const PATHS = ["/", "/a", "/a/b", "/ä", ""];
const PROPERTIES = [
  "{}",
  '{"a":1}',
  '{"a":"x","b":{"c":"d"}}',
  '{"a":2.5,"b":true}',
  '{"a":null,"n":-7}',
  '{"a":[1,2],"s":"жук"}',
  '{"a":"12","b":false}',
];
const PAGES = [
  "",
  "https://www.a.example/p/q?x=1&y=%20#z",
  "https://b.example",
  "http://u@c.example:80/?x=",
  "/only/path",
];

const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Steps that share no factor with the lengths of the lists, so that values meet in many combinations. */
function rowOf(project: string, n: number): ExportedRow {
  // Every third event has the time of the one before; some are at the last millisecond of a day.
  const second = n % 3 === 2 ? n - 1 : n;
  const timestamp = n % 17 === 16 ? FIRST_MS + (n % 4) * DAY_MS + DAY_MS - 1 : FIRST_MS + second * 4_321_250;
  const day = new Date(timestamp).toISOString().slice(0, 10);
  return {
    ...BLANK_ROW,
    project_id: project,
    message_id: `${project}-${String(n).padStart(3, "0")}`,
    timestamp,
    received_at: timestamp + 1_500,
    dedupe_day: day,
    channel: "web",
    version: "0",
    type: at(TYPES, n),
    event: at(NAMES, n * 5),
    user_id: at(USERS, n * 3),
    anonymous_id: `a${n % 6}`,
    address: at(ADDRESSES, n * 7),
    session_id: `s${n % 9}`,
    origin: at(["a.example", "b.example"], n),
    pathname: at(PATHS, n * 3),
    utm_campaign: at(CAMPAIGNS, n * 2),
    location: at(["", "DE", "de", "JP"], n * 3),
    device: at(["desktop", "mobile-ios", ""], n),
    chain_id: at(["", "1", "8453", "01"], n),
    volume: at(AMOUNTS, n * 5),
    revenue: at(AMOUNTS, n * 2 + 1),
    points: n % 5,
    properties: at(PROPERTIES, n * 2),
    context: JSON.stringify({ page_url: at(PAGES, n), locale: at(["", "de-DE", "ja"], n) }),
    extra: "{}",
  };
}

export interface Engines {
  readonly duckdb: RunUserQuery;
  readonly clickhouse: RunUserQuery;
  stop(): Promise<void>;
}

export async function startEngines(): Promise<Engines> {
  const local = await startLocalEngine();
  const server = await startClickhouseEngine();
  const own = Array.from({ length: EVENTS }, (_, n) => rowOf(PROJECT, n));
  const other = Array.from({ length: 12 }, (_, n) => rowOf(OTHER_PROJECT, n));
  for (const { engine } of [local, server]) await (await createEventStore(engine, "differential"))([...own, ...other]);
  return {
    duckdb: local.engine.runUserQuery,
    clickhouse: createRunUserQuery(server.clickhouse, readOnce(createRelations(server.clickhouse))),
    async stop() {
      await local.stop();
      await server.stop();
    },
  };
}

/** The events never change. Reading the catalogue takes chdb-wasm 200 ms, a small statement 20. */
function readOnce(relations: Relations): Pick<Relations, "forReport"> {
  let first: ReturnType<Relations["forReport"]> | undefined;
  return {
    forReport(scope, signal) {
      first ??= relations.forReport(scope, signal);
      return first;
    },
  };
}

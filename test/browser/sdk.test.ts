import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser } from "../support/browser.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";
import { SDK_VERSION } from "./site.ts";
import { type SentEvent, type Visit, visitShop } from "./visit.ts";

const DOORS = ["/v0/raw_events", "/v0/events?name=raw_events"] as const;

const LANDING = { pathname: "/pricing" };
const ANNUAL = { pathname: "/pricing/annual" };
const WALLET = { rdns: "org.example.wallet", provider_name: "Test Wallet" };
const ACCOUNT = {
  address: "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
  address_spelt: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
};
const USER = { ...ACCOUNT, user_id: "user-42" };

/** What a visit makes the SDK send, in its order: the columns in which the events differ. */
const EVENTS: readonly Columns[] = [
  { type: "detect", ...LANDING, ...WALLET },
  { type: "page", ...LANDING },
  { type: "page", ...ANNUAL },
  { type: "connect", ...ANNUAL, ...WALLET, ...ACCOUNT, chain_id: "8453" },
  { type: "identify", ...ANNUAL, ...USER },
  { type: "track", event: "Purchase", ...ANNUAL, ...USER, revenue: 49.9, volume: 120.5, points: 7 },
  { type: "track", event: "Checkout left", ...ANNUAL, ...USER },
];

/** All other columns but those that hold a time, an identity or a port: the same for every event of the visit. */
const EVERY_EVENT: Columns = {
  channel: "web",
  version: "0",
  event: "",
  user_id: "",
  address: "",
  address_spelt: "",
  origin: "127.0.0.1",
  referrer: "baidu.com",
  ref: "ada",
  utm_source: "baidu",
  utm_medium: "cpc",
  utm_campaign: "launch",
  utm_term: "wallet analytics",
  utm_content: "hero",
  click_id: "",
  acquisition: "Paid Search",
  paid_source: "paid_utm",
  status: "",
  has_touch: 1,
  device: "desktop",
  browser: "chrome",
  os: "linux",
  location: "DE",
  rdns: "",
  provider_name: "",
  chain_id: "",
  builder_codes: "",
  volume: 0,
  revenue: 0,
  points: 0,
  extra: "{}",
};

type Columns = Record<string, string | number>;
type Row = Columns & { anonymous_id: string; timestamp_ms: number; received_ms: number };

describe("the published browser SDK, unchanged, in a real Chromium", () => {
  const cleanups: (() => unknown)[] = [];
  const visits: Visit[] = [];
  const found = { projectId: "", preflights: 0, repeatedAtMs: 0, rows: [] as Row[], parked: -1 };

  before(async () => {
    const browser = await startBrowser();
    cleanups.push(browser.close);
    const data = makeDataDir();
    cleanups.push(data.remove);
    const service = await startService(data.dir);
    cleanups.push(() => service.kill("SIGTERM"));
    const { writeKey, projectId } = readCredentials(data.dir);
    const urls = DOORS.map((door) => new URL(door, service.eventsUrl));

    for (const url of urls) {
      const visit = await visitShop(browser, url, writeKey);
      visits.push(visit);
      cleanups.push(visit.close);
    }
    await waitForStored(service, visits.length * EVENTS.length);
    const preflights = await readMetric(service, /^sextant_http_requests_total\{.*"OPTIONS".*status="204"\} (\d+)$/m);

    const repeatedAtMs = Date.now();
    const bodies = visits.flatMap((visit) => visit.bodies);
    for (const url of urls) for (const body of bodies) await postEvents(url, writeKey, body);
    await waitForStored(service, (1 + urls.length) * visits.length * EVENTS.length);
    const stored = await readWarehouse(data.dir);
    Object.assign(found, { projectId, preflights, repeatedAtMs, ...stored });
  });

  after(async () => {
    for (const clean of cleanups.reverse()) await clean();
  });

  for (const [at, door] of DOORS.entries()) {
    test(`${door} accepts everything that the SDK sends, without errors in the page, the network or the SDK`, () => {
      const visit = visits[at];
      assert.deepEqual(visit?.problems, []);
      const full = (events: number) => ({ accepted: events, parked: 0, successful_rows: events, quarantined_rows: 0 });
      assert.deepEqual(visit?.answers, [
        { success: true, ...full(1) },
        { success: true, ...full(4) },
      ]);
    });

    test(`${door} stores every event once and with the right columns`, () => {
      const sent = (visits[at]?.bodies ?? []).flatMap((body) => JSON.parse(body) as SentEvent[]);
      const rows = found.rows.filter((row) => row.anonymous_id === sent[0]?.anonymous_id);
      assert.deepEqual(
        rows,
        sent.map((event, index) => expectedRow(event, EVENTS[index] ?? {}, rows[index])),
      );
      assert.equal(rows.length, EVENTS.length);
      const { library_name, library_version, locale, timezone } = sent[0]?.context ?? {};
      assert.deepEqual([library_name, library_version], ["Formo Web SDK", SDK_VERSION]);
      assert.deepEqual([locale, timezone], ["de-DE", "Europe/Berlin"]);
    });
  }

  test("a preflight request of the browser is allowed", () => {
    assert.ok(found.preflights >= DOORS.length, `${found.preflights} preflights`);
  });

  test("an event sent again to either URL does not count again, and the first copy stays", () => {
    assert.equal(found.rows.length, DOORS.length * EVENTS.length);
    assert.equal(found.parked, 0);
    for (const row of found.rows) assert.ok(row.received_ms <= found.repeatedAtMs, JSON.stringify(row));
  });

  function expectedRow(sent: SentEvent, own: Columns, row: Row | undefined): Columns {
    const receivedMs = row?.received_ms ?? 0;
    const timestampMs = receivedMs - (Date.parse(sent.sent_at) - Date.parse(sent.original_timestamp));
    return {
      ...EVERY_EVENT,
      ...own,
      project_id: found.projectId,
      message_id: sent.message_id,
      day: new Date(timestampMs).toISOString().slice(0, 10),
      dedupe_day: sent.original_timestamp.slice(0, 10),
      original_ms: Date.parse(sent.original_timestamp),
      sent_ms: Date.parse(sent.sent_at),
      received_ms: receivedMs,
      timestamp_ms: timestampMs,
      anonymous_id: sent.anonymous_id,
      session_id: "",
      visitors: 1,
      sessions: 1,
      referrer_url: String(sent.context.referrer),
      context: JSON.stringify(sent.context),
      properties: JSON.stringify(sent.properties),
    };
  }
});

async function readMetric(service: TestService, pattern: RegExp): Promise<number> {
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  return Number(pattern.exec(metrics)?.[1] ?? 0);
}

function waitForStored(service: TestService, events: number): Promise<boolean> {
  return waitFor(`${events} stored events`, async () => {
    const counts = ["stored", "duplicate"].map((outcome) =>
      readMetric(service, new RegExp(`^sextant_events_${outcome}_total (\\d+)$`, "m")),
    );
    const [stored = 0, duplicate = 0] = await Promise.all(counts);
    return stored + duplicate >= events;
  });
}

async function postEvents(url: URL, writeKey: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${writeKey}`, "content-type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body });
  assert.equal(answer.status, 200, await answer.text());
}

async function readWarehouse(dataDir: string): Promise<{ rows: readonly Row[]; parked: number }> {
  const engine = connectWarehouse(dataDir);
  try {
    const { rows } = await engine.select<Row>(
      `SELECT * EXCLUDE (timestamp, received_at, original_after_ms, sent_after_ms, visitor, session, dedupe_key),
        epoch_ms(timestamp) AS timestamp_ms, epoch_ms(received_at) AS received_ms,
        epoch_ms(timestamp) + original_after_ms AS original_ms, epoch_ms(timestamp) + original_after_ms + sent_after_ms AS sent_ms,
        count(DISTINCT visitor) OVER (PARTITION BY anonymous_id) AS visitors,
        count(DISTINCT session) OVER (PARTITION BY anonymous_id, day) AS sessions
      FROM events ORDER BY original_ms`,
    );
    return { rows, parked: await selectNumber(engine, "SELECT count(*) AS n FROM parked_events") };
  } finally {
    await engine.close();
  }
}

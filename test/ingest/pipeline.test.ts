import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { readLedgerTotals } from "../../src/warehouse/ledger.ts";
import { runHere } from "../support/command.ts";
import { sampleEvent } from "../support/events.ts";
import { waitForLedgerMetrics } from "../support/metrics.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const ALL = { fromMs: Date.UTC(2000, 0), toMs: Date.UTC(2100, 0) };
const BIN = resolve(import.meta.dirname, "../../bin/sextant.js");

describe("from the 200 to the warehouse", () => {
  const data = makeDataDir();
  let service: TestService;
  let keys: Credentials;
  let warehouse: AnalyticsEngine;
  before(async () => {
    service = await startService(data.dir);
    keys = readCredentials(data.dir);
    warehouse = connectWarehouse(data.dir);
  });
  after(async () => {
    await warehouse.close();
    await service.kill("SIGTERM");
    data.remove();
  });

  const post = (body: unknown, path = "/v0/events") =>
    fetch(service.eventsUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.writeKey}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const counted = (prefix: string) =>
    selectNumber(warehouse, `SELECT count(*) AS n FROM events WHERE startsWith(message_id, '${prefix}')`);
  // Asked here, not with a command: those are processes of half a second each.
  const waitForParked = (text: string) =>
    waitFor(`the event with ${text} to be parked`, () =>
      selectNumber(warehouse, `SELECT count(*) AS n FROM parked_raw WHERE position('${text}' IN text) > 0`).then(
        Boolean,
      ),
    );
  /** As people run it. */
  function run(...args: string[]) {
    const env = { ...process.env, SEXTANT_DATA_DIR: data.dir };
    return spawnSync(process.execPath, [BIN, ...args], { env, encoding: "utf8", timeout: 60_000 });
  }
  async function cli<T>(...args: string[]): Promise<T> {
    const done = await runHere(data.dir, [...args, "--json"]);
    assert.equal(done.code, 0, done.err);
    return JSON.parse(done.out) as T;
  }

  test("an event is in the warehouse within a second, with its columns", async () => {
    await post(sampleEvent("warm-up"));
    await waitFor("the first insert", async () => (await counted("warm-up")) === 1);
    const context = {
      page_url: "https://www.app.example.com/swap?utm_source=google&gclid=x",
      referrer: "https://www.google.com/",
    };
    const properties = { revenue: "12.5", chain_id: 8453, rdns: "io.metamask" };
    const address = "0xAbC0000000000000000000000000000000000001";
    // A busy machine delays one or another of them, a slow service each of them.
    const tookMs: number[] = [];
    for (let nth = 1; nth <= 30 && !tookMs.some((ms) => ms <= 1_000); nth += 1) {
      const event = sampleEvent(`col-${nth}`, { type: "track", event: "Swap", address, context, properties });
      assert.equal((await post(event)).status, 200);
      const sentAt = performance.now();
      await waitFor("the event", async () => (await counted(`col-${nth}`)) === 1);
      tookMs.push(performance.now() - sentAt);
    }
    assert.ok(Math.min(...tookMs) <= 1_000, `stored after ${tookMs.join(", ")} ms`);
    const { rows } = await warehouse.select(`
      SELECT project_id, type, event, origin, pathname, referrer, utm_source, revenue, chain_id, rdns, address, address_spelt, acquisition
      FROM events WHERE message_id = 'col-1'`);
    assert.deepEqual(rows, [
      {
        project_id: keys.projectId,
        type: "track",
        event: "Swap",
        origin: "app.example.com",
        pathname: "/swap",
        referrer: "google.com",
        utm_source: "google",
        revenue: 12.5,
        chain_id: "8453",
        rdns: "io.metamask",
        address: address.toLowerCase(),
        address_spelt: address,
        acquisition: "Paid Search",
      },
    ]);
  });

  test("a message counts once, also with parallel duplicates and retries, in a batch and across requests", async () => {
    const ids = Array.from({ length: 50 }, (_, i) => `once-${i}`);
    const batch = ids.map((id) => sampleEvent(id));
    await Promise.all(Array.from({ length: 20 }, () => post(batch)));
    await post([...batch, ...batch]);
    await post(batch, "/v0/raw_events");
    await post(sampleEvent("once-last"));
    await waitFor("all of them", async () => (await counted("once-")) >= 51);
    assert.equal(await counted("once-"), 51);
  });

  test("the ledger adds up, with the right numbers of duplicates, parked and refused events", async () => {
    const before = await cli<Line[]>("events", "ledger");
    await post([sampleEvent("led-1"), sampleEvent("led-2"), { type: 1 }]);
    await post(sampleEvent("led-1"));
    await post({ type: 1 });
    await post("{oops");
    const known = sum(before).received + 6;
    await waitFor(
      "the ledger to know all six",
      async () => (await readLedgerTotals(warehouse, ALL)).received === known,
    );
    const lines = await cli<Line[]>("events", "ledger");
    assert.deepEqual(subtract(sum(lines), sum(before)), {
      received: 6,
      stored: 2,
      duplicate: 1,
      parked: 1,
      refused: 2,
    });
    for (const line of lines) assert.equal(line.received, line.stored + line.duplicate + line.parked + line.refused);
  });

  test("parked events have reasons; a replay by other rules stores them once and updates the ledger", async () => {
    const short = { type: "page", channel: "web", version: "0", anonymous_id: "v", message_id: "parked-1" };
    await post([sampleEvent("park-ok"), short, { nonsense: true }]);
    await waitForParked("parked-1");
    const parked = await cli<{ id: string; reason: string; raw: string }[]>("events", "parked");
    const mine = parked.find((one) => one.raw.includes("parked-1"));
    assert.equal(mine?.reason, "invalid_fields");
    const ledger = sum(await cli<Line[]>("events", "ledger"));
    assert.deepEqual(await cli("events", "replay", "--id", mine?.id ?? ""), { stored: 0, stillInvalid: 1 });
    assert.deepEqual(await cli("events", "replay", "--id", mine?.id ?? "", "--rules", "raw"), {
      stored: 1,
      stillInvalid: 0,
    });
    for (const id of [mine?.id ?? "", "nope"]) {
      const gone = await runHere(data.dir, ["events", "replay", "--id", id, "--rules", "raw"]);
      assert.deepEqual([gone.code, gone.err], [1, `sextant: there is no parked event ${id}\n`]);
    }
    assert.equal(await counted("parked-1"), 1);
    const change = subtract(sum(await cli<Line[]>("events", "ledger")), ledger);
    assert.deepEqual(change, { received: 0, stored: 1, duplicate: 0, parked: -1, refused: 0 });
  });

  test("a parked event is printed shortened and without control characters; --json prints all of it", async () => {
    const evil = "\u001b]0;owned\u0007\u009b31m\u007f";
    const text = `${evil}${"x".repeat(1_000)}`;
    await post([sampleEvent("park-evil-ok"), { evil: text }]);
    type Parked = { id: string; raw: string };
    await waitForParked("owned");
    const [mine, ...others] = await cli<Parked[]>("events", "parked", "--limit", "1");
    assert.deepEqual([JSON.parse(mine?.raw ?? ""), others], [{ evil: text }, []]);
    assert.deepEqual(await cli("events", "parked", "--reason", "too_large"), []);
    const json = run("events", "parked", "--json").stdout;
    const all = JSON.parse(json) as Parked[];
    assert.ok(all.length > 1 && all[0]?.id === mine?.id, "newest first");
    const { stdout } = run("events", "parked");
    assert.match(stdout, /\\x9b31m\\x7fx+… \(\d{4} bytes, all of it with --json\)$/m);
    assert.equal(stdout.trimEnd().split("\n").length, all.length + 1, "a line each");
    for (const output of [stdout, json]) assert.doesNotMatch(output.replaceAll("\n", ""), /\p{Cc}/u);
  });

  test("the API tells the ledger with its reasons, and lists parked events page by page", async () => {
    const ask = async <T>(path: string): Promise<T> => {
      const answer = await fetch(`${service.apiUrl}${path}`, { headers: { authorization: `Bearer ${keys.apiKey}` } });
      assert.equal(answer.status, 200, await answer.clone().text());
      return (await answer.json()) as T;
    };
    const totals = sum(await cli<Line[]>("events", "ledger"));
    const { reasons, lag_seconds, from, to, series, ...counts } = await ask<IngestAnswer>("/v0/ingest?hours=1");
    assert.deepEqual(counts, totals);
    assert.ok(Date.parse(to) - Date.parse(from) >= 3_600_000 && series.length >= 60);
    assert.equal(typeof lag_seconds, "number");
    const parkedFor = reasons.filter(({ outcome }) => outcome === "parked");
    assert.equal(
      parkedFor.reduce((all, { events }) => all + events, 0),
      totals.parked,
    );
    const whole = await ask<ParkedAnswer>("/v0/parked?limit=200");
    assert.equal(whole.data.length, totals.parked);
    const paged: unknown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: ParkedAnswer = await ask(
        `/v0/parked?limit=1${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      assert.equal(page.has_more, page.next_cursor !== null);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    assert.deepEqual(paged, whole.data);
    const some = await ask<ParkedAnswer>("/v0/parked?reason=invalid_fields");
    assert.deepEqual(
      some.data,
      whole.data.filter(({ reason }) => reason === "invalid_fields"),
    );
    const bad = await fetch(`${service.apiUrl}/v0/parked?cursor=x`, {
      headers: { authorization: `Bearer ${keys.apiKey}` },
    });
    assert.equal(bad.status, 400);
    assert.match(await bad.text(), /must be the next_cursor of an earlier page/);
  });

  test("a stop and a start lose no acknowledged event", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => post(sampleEvent(`stop-${i}`))));
    await warehouse.close();
    assert.equal(await service.kill("SIGTERM"), 0);
    service = await startService(data.dir);
    warehouse = connectWarehouse(data.dir);
    await waitFor("the rest of the log", async () => (await counted("stop-")) === 20);
  });

  test("the metrics equal the ledger, also for events before the last start", async () => {
    const before = sum(await cli<Line[]>("events", "ledger"));
    await post(sampleEvent("stop-0"));
    await post([sampleEvent("met-1"), { type: 1 }]);
    await post("{oops");
    const ledger = { ...before, received: before.received + 4, stored: before.stored + 1 };
    for (const outcome of ["duplicate", "parked", "refused"] as const) ledger[outcome] += 1;
    assert.deepEqual(await waitForLedgerMetrics(service.opsUrl, ledger.received), ledger);
    assert.deepEqual(sum(await cli<Line[]>("events", "ledger")), ledger);
  });
});

interface IngestAnswer extends Line {
  from: string;
  to: string;
  lag_seconds: number | null;
  series: unknown[];
  reasons: { outcome: string; reason: string; events: number }[];
}

interface ParkedAnswer {
  data: { id: string; reason: string }[];
  has_more: boolean;
  next_cursor: string | null;
}

interface Line {
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
}

function sum(lines: readonly Line[]): Line {
  return lines.reduce((all, line) => combine(all, line, 1), {
    received: 0,
    stored: 0,
    duplicate: 0,
    parked: 0,
    refused: 0,
  });
}

function subtract(a: Line, b: Line): Line {
  return combine(a, b, -1);
}

function combine(a: Line, b: Line, sign: number): Line {
  const add = (field: keyof Line) => a[field] + sign * b[field];
  return {
    received: add("received"),
    stored: add("stored"),
    duplicate: add("duplicate"),
    parked: add("parked"),
    refused: add("refused"),
  };
}

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { readLedger } from "../../src/warehouse/events-admin.ts";
import { sampleEvent } from "../support/events.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";
import { connectWarehouse, selectNumber } from "../support/warehouse.ts";

const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
const BODIES = Number(process.env.TEST_BODIES ?? 2_000);
const AT_ONCE = 16;

let state = (SEED % 2_147_483_647) + 1;
function random(): number {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff x",
  "ü".repeat(300),
  [],
  [[]],
  {},
  { a: { b: 1 } },
  "null",
  "{}",
  "[]",
  '{"a":1}',
  "{oops",
  "1970-01-01T00:00:00Z",
  "2100-06-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "not a time",
  1_700_000_000_000,
  "x".repeat(70),
  "'; DROP TABLE events; --",
];
const FIELDS = [
  "channel",
  "type",
  "anonymous_id",
  "user_id",
  "address",
  "event",
  "context",
  "properties",
  "version",
  "original_timestamp",
  "sent_at",
  "message_id",
];

/** An event with its marker, and now and then something wrong with it. */
function makeEvent(marker: string): Record<string, unknown> {
  const event = sampleEvent(marker, { anonymous_id: marker });
  if (random() < 0.3)
    event.properties = {
      revenue: pick([1, "2.5", Number.NaN, "1e400", -3, 2e9, "x"]),
      chain_id: pick([1, "0x1", "8453", {}, -1]),
    };
  if (random() < 0.3)
    event.context = {
      page_url: pick(["https://a.example/x?utm_source=x", "not a url", "http://[", "javascript:1", ""]),
      referrer: pick(["https://t.co/", "::", 5]),
    };
  if (random() < 0.15)
    event.properties = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  if (random() < 0.1) {
    const depth = pick([5, 31, 40]);
    event.properties = `${'{"d":'.repeat(depth)}1${"}".repeat(depth)}`;
  }
  if (random() < 0.2)
    event.original_timestamp = pick([
      "1970-01-01T00:00:00Z",
      "2100-06-01T00:00:00Z",
      "2014-01-01T00:00:00Z",
      "2026-11-01 10:00:00",
      event.original_timestamp,
    ]);
  if (random() < 0.4) {
    const field = pick(FIELDS);
    // The two ids stay recognisable: an odd text there would be another, valid event.
    const odd = pick(
      field === "anonymous_id" || field === "message_id"
        ? ODD_VALUES.filter((value) => typeof value !== "string")
        : ODD_VALUES,
    );
    event[field] = odd;
  }
  if (random() < 0.1) delete event[pick(FIELDS)];
  if (random() < 0.02) event.properties = { big: "z".repeat(300 * 1024) };
  if (random() < 0.05) event[pick(["__proto__x", "extra", "ip", "password"])] = pick(ODD_VALUES);
  return event;
}

interface Case {
  body: Uint8Array<ArrayBuffer>;
  path: string;
  headers: Record<string, string>;
  markers: string[];
  /** How many events a reader of the text would find, valid or not; 1 where it finds none. */
  items: number;
  /** Sent twice: each of its events has an id of its own, so nothing of the second time is stored. */
  twice: boolean;
}

function countItems(text: string, lines: boolean): number {
  if (lines) return text.split("\n").filter((line) => line.trim() !== "").length;
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return Array.isArray(value) ? value.length : 1;
  } catch {
    return 1;
  }
}

function makeCase(number: number): Case {
  const single = random() < 0.4;
  const size = single ? 1 : 1 + Math.floor(random() * 8);
  const markers = Array.from({ length: size }, (_, i) => `fz-${number}-${i}`);
  const events = markers.map(makeEvent);
  const lines = !single && random() < 0.3;
  let text = lines
    ? events.map((event) => JSON.stringify(event)).join("\n")
    : JSON.stringify(single ? events[0] : events);
  if (random() < 0.05) text = text.slice(0, Math.floor(random() * text.length));
  if (random() < 0.03) text = text.replace("{", pick(["[", "{{", "\u0000{", "\ufeff{"]));
  if (random() < 0.01) text = "[".repeat(10_000) + "]".repeat(10_000);
  const headers: Record<string, string> = {
    "content-type": lines ? "application/x-ndjson" : pick(["application/json", "text/plain"]),
  };
  let body: Uint8Array<ArrayBuffer> = new Uint8Array(Buffer.from(text));
  const packers = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync } as const;
  if (random() < 0.2) {
    const encoding = pick(Object.keys(packers) as (keyof typeof packers)[]);
    body = new Uint8Array(packers[encoding](body));
    headers["content-encoding"] = encoding;
    if (random() < 0.1) body = body.slice(0, body.length - 3);
  }
  if (random() < 0.02) body[Math.floor(random() * body.length)] = 0xff;
  const path = pick(["/v0/events", "/v0/raw_events"]) + pick(["", "?detail=true"]);
  const twice = random() < 0.1 && events.every((event) => typeof event.message_id === "string");
  return { body, path, headers, markers, items: countItems(text, lines), twice };
}

interface Answer {
  accepted?: number;
  parked?: number;
  results?: { index: number; status: string }[];
  error?: { code: string };
}

describe(`${BODIES} odd bodies`, () => {
  const data = makeDataDir();
  let service: TestService;
  let keys: Credentials;
  before(async () => {
    service = await startService(data.dir, {
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_EVENTS_RATE_PER_SECOND: "100000",
      SEXTANT_EVENTS_RATE_BURST: "100000",
    });
    keys = readCredentials(data.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  test("no 5xx, no crash; accepted means stored, refused means absent, and the ledger adds up", {
    timeout: 110_000,
  }, async (t) => {
    t.diagnostic(`TEST_SEED=${SEED}`);
    const accepted = new Set<string>();
    const refused = new Set<string>();
    /** Batches of which only the number of accepted events is known. */
    const counted: { markers: string[]; accepted: number }[] = [];
    const statuses = new Map<number, number>();
    /** What the ledger has to say in the end, by what was sent and how it was answered. */
    const model = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };

    async function post({ body, path, headers }: Case): Promise<{ status: number; answer: Answer }> {
      const answer = await fetch(service.eventsUrl + path, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${keys.writeKey}` },
        body,
      });
      const text = await answer.text();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return { status: answer.status, answer: JSON.parse(text) as Answer };
    }

    function count({ items }: Case, status: number, answer: Answer, again: boolean): void {
      if (status !== 200) {
        // Every event is named as invalid, or the body could not be read and counts as one.
        const refusals = answer.error?.code === "INVALID_VALIDATION_REQUEST" ? items : 1;
        model.refused += refusals;
        model.received += refusals;
        return;
      }
      const { accepted: taken = 1, parked = 0 } = answer;
      assert.equal(taken + parked, items);
      model.received += items;
      model.parked += parked;
      model[again ? "duplicate" : "stored"] += taken;
    }

    function remember({ markers }: Case, status: number, { results, accepted: taken, parked }: Answer): void {
      if (status !== 200) for (const marker of markers) refused.add(marker);
      else if (results === undefined && taken !== undefined && parked !== 0) counted.push({ markers, accepted: taken });
      else {
        markers.forEach((marker, index) => {
          const one = results === undefined ? "accepted" : results.find((result) => result.index === index)?.status;
          if (one === "parked") refused.add(marker);
          else if (one !== undefined) accepted.add(marker);
        });
      }
    }

    async function send(number: number): Promise<void> {
      const made = makeCase(number);
      const { status, answer } = await post(made);
      assert.ok(status < 500, `${status} ${JSON.stringify(answer).slice(0, 200)} for case ${number}`);
      count(made, status, answer, false);
      remember(made, status, answer);
      if (!made.twice) return;
      const again = await post(made);
      assert.equal(again.status, status);
      count(made, again.status, again.answer, true);
    }
    let number = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (number < BODIES) {
          number += 1;
          await send(number);
        }
      }),
    );
    t.diagnostic(
      `statuses ${JSON.stringify([...statuses])}, ${accepted.size} accepted, ${refused.size} refused or parked`,
    );
    assert.equal(service.child.exitCode, null);
    assert.ok(accepted.size > BODIES / 2 && refused.size > BODIES / 10, "the mix holds both");

    const warehouse = connectWarehouse(data.dir);
    t.after(() => warehouse.close());
    const window = { fromMs: Date.now() - 3_600_000, toMs: Date.now() + 60_000 };
    const readSums = async () => {
      const sums = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };
      for (const line of await readLedger(warehouse, [keys.projectId], window))
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += line[name];
      return sums;
    };
    // A batch's ledger rows are the last that is written of it.
    const follow = async () => (await readSums()).received >= model.received;
    await waitFor("the ledger to follow", follow, 20_000).catch(() => undefined);
    const { data: rows } = await warehouse.selectJson<{ id: string }>("SELECT DISTINCT anonymous_id AS id FROM events");
    const stored = new Set(rows.map((row) => row.id));
    assert.deepEqual(
      [...accepted].filter((marker) => !stored.has(marker)),
      [],
      "accepted but not stored",
    );
    assert.deepEqual(
      [...refused].filter((marker) => stored.has(marker)),
      [],
      "refused but stored",
    );
    for (const batch of counted) {
      assert.equal(
        batch.markers.filter((marker) => stored.has(marker)).length,
        batch.accepted,
        batch.markers.join(" "),
      );
    }
    assert.ok(model.duplicate > 0 && model.parked > 0 && counted.length > 0, "the mix holds all of it");
    assert.deepEqual(await readSums(), model);
    assert.equal(await selectNumber(warehouse, "SELECT count() AS n FROM events FINAL"), model.stored);
    assert.equal(await selectNumber(warehouse, "SELECT count() AS n FROM parked_events FINAL"), model.parked);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});

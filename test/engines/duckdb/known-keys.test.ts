import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { EventRows } from "../../../src/engines/duckdb/append.ts";
import { createKnownKeys } from "../../../src/engines/duckdb/known-keys.ts";
import { encodeRequest } from "../../../src/ingest/logged-request.ts";
import { SEED } from "../../../src/lib/testing.ts";
import { createTransform } from "../../../src/warehouse/transform.ts";
import { createRandom } from "../../query/generate.ts";
import { sampleEvent } from "../../support/events.ts";
import { selectNumber, startLocalEngine } from "../../support/local-engine.ts";

const TODAY = 20_000;
type Key = readonly [day: number, low: number, high: number];

function rowsOf(keys: readonly Key[]): EventRows {
  const columns: Record<string, Uint32Array> = {
    dedupe_day: Uint32Array.from(keys, ([day]) => day),
    dedupe_key: Uint32Array.from(keys.flatMap(([, low, high]) => [low, high])),
  };
  const block = { rows: keys.length, column: (name: string) => columns[name] ?? new Uint32Array() };
  return { block: block as unknown as EventRows["block"], rows: Uint32Array.from(keys, (_, nth) => nth) };
}

describe("keys of the days that are being stored", () => {
  let instance: DuckDBInstance;
  let connection: DuckDBConnection;
  before(async () => {
    instance = await DuckDBInstance.create(":memory:");
    connection = await instance.connect();
  });
  after(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const store = async (keys: readonly Key[]) => {
    const values = keys.map(
      ([day, low, high]) => `(DATE '1970-01-01' + ${day}, ${BigInt(high) * 4294967296n + BigInt(low)})`,
    );
    await connection.run(`INSERT INTO events VALUES ${values.join(", ")}`);
  };
  const empty = () => connection.run("CREATE OR REPLACE TABLE events (dedupe_day DATE, dedupe_key UBIGINT)");

  test(`never say that a stored key is new, whatever is loaded, grown or dropped (seed ${SEED})`, async () => {
    await empty();
    const random = createRandom(SEED);
    const known = createKnownKeys({ loadedAfter: 2, mostSlots: 2 ** 16 });
    const stored: Key[] = [];
    let news = 0;
    for (let batch = 0; batch < 60; batch += 1) {
      const days = 1 + random.int(3);
      const fresh = Array.from({ length: 1 + random.int(1_500) }, (): Key => {
        // Halves with few values: keys that share one must not be taken for each other's absence.
        const low = random.chance(0.25) ? 7 : random.int(2 ** 32);
        return [TODAY + random.int(days), low, random.int(2 ** 32)];
      });
      const old = random.chance(0.5) && stored.length > 0 ? random.pick(stored) : undefined;
      const mayBeKnown = await known.addAll(connection, rowsOf(old === undefined ? fresh : [...fresh, old]));
      if (old !== undefined)
        assert.equal(mayBeKnown.at(-1), fresh.length, `batch ${batch}: a stored key was taken for a new one`);
      if (mayBeKnown.length === 0) news += 1;
      await store(fresh);
      stored.push(...fresh);
    }
    assert.ok(news > 3, `${news} batches without a look at the table`);
  });

  test("are known within a batch, and after a transaction that was rolled back", async () => {
    await empty();
    const known = createKnownKeys({ loadedAfter: 1, mostSlots: 2 ** 16 });
    assert.deepEqual(await known.addAll(connection, rowsOf([[TODAY, 1, 2]])), []);
    assert.deepEqual(await known.addAll(connection, rowsOf([[TODAY, 1, 2]])), [0], "the one that was not stored");
    const twice: Key[] = [
      [TODAY, 3, 4],
      [TODAY, 3, 4],
    ];
    assert.deepEqual(await known.addAll(connection, rowsOf(twice)), [1]);
    const halves: Key[] = [
      [TODAY, 1, 4],
      [TODAY, 3, 2],
      [TODAY + 1, 1, 2],
    ];
    assert.deepEqual(await known.addAll(connection, rowsOf(halves)), [], "halves of other keys, and another day");
  });

  test("of a day with more than fits are looked up in the table", async () => {
    await empty();
    const known = createKnownKeys({ loadedAfter: 1, mostSlots: 2 ** 14 });
    const keysFrom = (from: number) => Array.from({ length: 9_000 }, (_, nth): Key => [TODAY, from + nth, nth]);
    assert.deepEqual(await known.addAll(connection, rowsOf(keysFrom(0))), []);
    await store(keysFrom(0));
    const second = await known.addAll(connection, rowsOf(keysFrom(9_000)));
    assert.equal(second.length, 9_000, "18,000 keys in 16,384 slots");
    assert.deepEqual(await known.addAll(connection, rowsOf([[TODAY + 1, 0, 0]])), [], "a small day still fits");
  });

  test("are not read again and again for two days that do not fit together, and are those of the larger part", async () => {
    await empty();
    const known = createKnownKeys({ loadedAfter: 1, mostSlots: 2 ** 14 });
    let next = 0;
    const keysOf = (day: number, count: number) => Array.from({ length: count }, (): Key => [day, ++next, 1]);
    const isLookedUp = async (day: number, count: number) =>
      (await known.addAll(connection, rowsOf(keysOf(day, count)))).length > 0;
    assert.equal(await isLookedUp(TODAY, 10), false);
    for (let batch = 0; batch < 6; batch += 1) {
      assert.equal(await isLookedUp(TODAY - 1, 12), true);
      assert.equal(await isLookedUp(TODAY, 10), false);
    }
    assert.equal(await isLookedUp(TODAY - 1, 20), false, "twice as many events");
    assert.equal(await isLookedUp(TODAY, 10), true);
    for (let batch = 0; batch < 16; batch += 1) await isLookedUp(TODAY, 10);
    assert.equal(await isLookedUp(TODAY, 10), false, "no batch has come to the other day for long");
  });
});

test(`a message counts once in many batches of one day (seed ${SEED})`, async (t) => {
  const now = Date.UTC(2026, 10, 15, 12, 0, 30);
  const local = await startLocalEngine({ nowMs: () => now });
  t.after(() => local.stop());
  const random = createRandom(SEED);
  const store = await local.engine.openBatchStore({ nodeId: "n", cursorFile: "" });
  const transform = createTransform();
  const request = { projectId: "p", workspaceId: "w", rules: "tracked", lines: false, idBase: "x" } as const;
  const sent = new Set<string>();
  for (let nth = 0; nth < 24; nth += 1) {
    // Every third batch has no copy, and nothing of it is looked up once the day is known.
    const ids = Array.from({ length: 40 }, (_, row) =>
      nth % 3 === 0 ? `new-${nth}-${row}` : `old-${random.int(600)}`,
    );
    for (const id of ids) sent.add(id);
    const body = Buffer.from(JSON.stringify(ids.map((id) => sampleEvent(id))));
    const payload = Buffer.concat(encodeRequest({ ...request, receivedAtMs: now }, body));
    const batch = transform([{ payload, recordId: `r-${nth}` }]);
    const at = (offset: number) => ({ segment: offset === 0 ? 0 : 1, offset });
    await store.store(batch, { from: at(nth), to: at(nth + 1), token: `${nth}` }, new AbortController().signal);
  }
  assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM events"), sent.size);
  assert.equal(await selectNumber(local.engine, "SELECT count(DISTINCT message_id) AS n FROM events"), sent.size);
  assert.equal(
    await selectNumber(local.engine, "SELECT sum(events) AS n FROM ledger WHERE outcome = 'duplicate'"),
    24 * 40 - sent.size,
  );
});

test("one copy in a batch has only its own key looked up", async (t) => {
  const now = Date.UTC(2026, 10, 15, 12, 0, 30);
  const local = await startLocalEngine({ nowMs: () => now });
  t.after(() => local.stop());
  const store = await local.engine.openBatchStore({ nodeId: "n", cursorFile: "" });
  const transform = createTransform();
  const request = { projectId: "p", workspaceId: "w", rules: "tracked", lines: false, idBase: "x" } as const;
  const at = (offset: number) => ({ segment: offset === 0 ? 0 : 1, offset });
  const storeIds = async (nth: number, ids: readonly string[]) => {
    const body = Buffer.from(JSON.stringify(ids.map((id) => sampleEvent(id))));
    const payload = Buffer.concat(encodeRequest({ ...request, receivedAtMs: now }, body));
    const batch = transform([{ payload, recordId: `r-${nth}` }]);
    await store.store(batch, { from: at(nth), to: at(nth + 1), token: `${nth}` }, new AbortController().signal);
  };
  // The keys of a day are known from its fourth batch on.
  for (let nth = 0; nth < 4; nth += 1) await storeIds(nth, [`first-${nth}`]);
  const fresh = Array.from({ length: 200 }, (_, row) => `new-${row}`);
  await storeIds(4, [...fresh.slice(0, 100), "first-2", ...fresh.slice(100)]);
  await local.engine.database.write(async (connection) => {
    const found = await connection.runAndReadAll("SELECT count(*) AS n FROM temp.new_keys");
    assert.equal(Number(found.getRows()[0]?.[0]), 1);
  });
  assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM events"), 204);
});

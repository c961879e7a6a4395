import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type BatchRange, CursorMoved, type EncodedBatch } from "../../../src/engines/batch.ts";
import { connectDuckdb } from "../../../src/engines/duckdb/process/client.ts";
import { openBlock } from "../../../src/engines/event-block.ts";
import { encodeRequest } from "../../../src/ingest/logged-request.ts";
import { IS_LONG, SEED } from "../../../src/lib/testing.ts";
import { joinBatches } from "../../../src/warehouse/join-batches.ts";
import { createTransform } from "../../../src/warehouse/transform.ts";
import { createRandom } from "../../query/generate.ts";
import { killEngine, startTestEngine } from "../../support/engine.ts";
import { sampleEvent } from "../../support/events.ts";
import { createTestWriter, selectNumber, startLocalEngine, type TestLocalEngine } from "../../support/local-engine.ts";
import { createDeafProxy } from "../../support/tcp-proxy.ts";
import { waitFor } from "../../support/wait.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 30);
const { signal } = new AbortController();
const transform = createTransform();
const A_REQUEST = 5_000;
/** Of 17,500 events each, beside reads. */
const TURNS = IS_LONG ? 5 : 2;

function batchOf(projectId: string, events: readonly unknown[]): EncodedBatch {
  const common = {
    projectId,
    workspaceId: "w",
    rules: "tracked",
    lines: false,
    idBase: "x",
    receivedAtMs: NOW,
  } as const;
  const records = Array.from({ length: Math.ceil(events.length / A_REQUEST) }, (_, nth) => {
    const some = events.slice(nth * A_REQUEST, (nth + 1) * A_REQUEST);
    const payload = Buffer.concat(encodeRequest(common, Buffer.from(JSON.stringify(some))));
    return { payload, recordId: `n-${nth + 1}` };
  });
  return transform(records);
}

function rangeOf(from: number, to: number): BatchRange {
  const at = (offset: number) => ({ segment: offset === 0 ? 0 : 1, offset });
  return { from: at(from), to: at(to), token: `${from}-${to}` };
}

describe("a batch on its way into DuckDB", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW });
  });
  after(() => local.stop());
  const outcomesOf = async (project: string) => {
    const { rows } = await local.engine.select<{ outcome: string; n: number }>(
      `SELECT outcome, sum(events) AS n FROM ledger WHERE project_id = '${project}' GROUP BY outcome ORDER BY outcome`,
    );
    return rows.map(({ outcome, n }) => `${outcome} ${n}`).join(", ");
  };
  const idsOf = async (project: string) => {
    const { rows } = await local.engine.select<{ id: string }>(
      `SELECT message_id AS id FROM events WHERE project_id = '${project}' ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  };

  test("whose events all have the same dedupe key is stored by its message ids, in a moment", async () => {
    const store = await local.engine.openBatchStore({ nodeId: "keys", cursorFile: "" });
    const underOneKey = (from: number, count: number) => {
      const ids = Array.from({ length: count }, (_, i) => `k-${from + i}`);
      const batch = batchOf(
        "keys",
        ids.map((id) => sampleEvent(id)),
      );
      // The words of the block itself, the lower half of each key first.
      const keys = openBlock(batch.events[0] ?? assert.fail()).column("dedupe_key");
      keys.forEach((_, at) => {
        keys[at] = at % 2 === 0 ? 7 : 0;
      });
      return batch;
    };
    const startedMs = performance.now();
    await store.store(underOneKey(0, 3_000), rangeOf(0, 10), signal);
    await store.store(underOneKey(2_000, 3_000), rangeOf(10, 20), signal);
    const tookMs = performance.now() - startedMs;
    assert.equal(new Set(await idsOf("keys")).size, 5_000);
    assert.equal(await outcomesOf("keys"), "duplicate 1000, stored 5000");
    // About 1 s. A comparison of each stored event with each new one took minutes.
    assert.ok(tookMs < 60_000, `${tookMs} ms`);
  });

  test("is stored once with its parked events and ledger, however often it is sent", async () => {
    const store = await local.engine.openBatchStore({ nodeId: "again", cursorFile: "" });
    const batch = batchOf("again", [sampleEvent("a-1"), sampleEvent("a-2"), { type: 1 }]);
    for (let time = 0; time < 3; time += 1) {
      const { ledger } = await store.store(batch, rangeOf(0, 10), signal);
      assert.equal(
        ledger.reduce((sum, { events }) => sum + events, 0),
        3,
        "the same is answered",
      );
    }
    assert.deepEqual(await idsOf("again"), ["a-1", "a-2"]);
    const parked = "SELECT count(*) AS n FROM parked_events WHERE project_id = 'again'";
    assert.equal(await selectNumber(local.engine, parked), 1);
    assert.equal(await outcomesOf("again"), "parked 1, stored 2");
    assert.equal(await selectNumber(local.engine, "SELECT events AS n FROM sessions WHERE project_id = 'again'"), 2);
    assert.deepEqual((await store.position()).done, rangeOf(0, 10).to);
  });

  // While something is read, DuckDB has all threads, and stores the rows of a batch in any order.
  test("keeps one of each message with its own status beside reads, whatever is sent twice in it", async (t) => {
    const store = await local.engine.openBatchStore({ nodeId: "reads", cursorFile: "" });
    const reading = new AbortController();
    const ended = Promise.allSettled(
      [1, 2].map(async () => {
        while (!reading.signal.aborted)
          await local.engine.select("SELECT count(*) AS n FROM range(3000000) WHERE hash(range) % 7 = 1");
      }),
    );
    t.after(async () => {
      reading.abort();
      await ended;
    });
    const ids = Array.from({ length: 9_000 }, (_, nth) => `r-${String(nth).padStart(5, "0")}`);
    const eventOf = (id: string) =>
      sampleEvent(id, {
        type: "transaction",
        user_id: id,
        properties: JSON.stringify({ status: `of ${id}`, chain_id: 1 }),
      });
    for (let turn = 0; turn < TURNS; turn += 1) {
      const project = `reads-${turn}`;
      // All but the first 500 twice: the copies are in other blocks of rows than the first ones.
      const events = [...ids, ...ids.slice(500)].map(eventOf);
      const { ledger } = await store.store(batchOf(project, events), rangeOf(turn * 10, turn * 10 + 10), signal);
      assert.equal(ledger.find(({ outcome }) => outcome === "duplicate")?.events, 8_500);
      assert.deepEqual(await idsOf(project), ids, `turn ${turn}`);
      const others = `SELECT count(*) AS n FROM events
        WHERE project_id = '${project}' AND (user_id <> message_id OR status <> 'of ' || message_id)`;
      assert.equal(await selectNumber(local.engine, others), 0, `turn ${turn}`);
    }
  });

  test("stores a message once, whichever of its blocks have it", async () => {
    const store = await local.engine.openBatchStore({ nodeId: "blocks", cursorFile: "" });
    const blockOf = (ids: readonly string[]) =>
      batchOf(
        "blocks",
        ids.map((id) => sampleEvent(id)),
      );
    const all = new Set<string>();
    let sent = 0;
    // The keys of a day are in memory only after some batches.
    for (let turn = 0; turn < 6; turn += 1) {
      const own = [0, 1, 2].map((nth) => `b-${turn}-${nth}`);
      const before = [...all].slice(0, 2);
      const blocks = [own, [...own.slice(1), ...before], [], [...own, `b-${turn}-last`]];
      for (const id of blocks.flat()) all.add(id);
      sent += blocks.flat().length;
      const batch = joinBatches(blocks.map(blockOf));
      await store.store(batch, rangeOf(turn * 10, turn * 10 + 10), signal);
      assert.deepEqual(await idsOf("blocks"), [...all].toSorted());
      assert.equal(await outcomesOf("blocks"), `duplicate ${sent - all.size}, stored ${all.size}`);
      const inSessions = "SELECT sum(events) AS n FROM sessions WHERE project_id = 'blocks'";
      assert.equal(await selectNumber(local.engine, inSessions), all.size);
    }
  });

  test("that does not start at the end of the last one is not stored", async () => {
    const store = await local.engine.openBatchStore({ nodeId: "gap", cursorFile: "" });
    await store.store(batchOf("gap", [sampleEvent("g-1")]), rangeOf(0, 10), signal);
    for (const range of [rangeOf(20, 30), rangeOf(0, 20), rangeOf(5, 10 + 1)])
      await assert.rejects(store.store(batchOf("gap", [sampleEvent("g-2")]), range, signal), CursorMoved);
    assert.deepEqual(await idsOf("gap"), ["g-1"]);
  });

  test("stores a message once: copies in it, in earlier ones, of other nodes, on other days of receipt", async () => {
    const write = await createTestWriter(local.engine, "one");
    const other = await createTestWriter(local.engine, "two");
    const at = (id: string, day: string, user = "") => {
      const time = `${day}T10:00:00.000Z`;
      return sampleEvent(id, { channel: "server", original_timestamp: time, sent_at: time, user_id: user });
    };
    await write("copies", [at("m-1", "2026-11-14", "first"), at("m-1", "2026-11-14"), at("m-2", "2026-11-15")], NOW);
    await other(
      "copies",
      [at("m-2", "2026-11-15"), at("m-1", "2026-11-14", "second"), at("m-3", "2026-11-15")],
      NOW + 1,
    );
    await write("copies", [at("m-3", "2026-11-15")], NOW + 86_400_000);
    assert.deepEqual(await idsOf("copies"), ["m-1", "m-2", "m-3"]);
    assert.equal(await outcomesOf("copies"), "duplicate 4, stored 3");
    const { rows } = await local.engine.select(
      "SELECT user_id FROM events WHERE project_id = 'copies' AND message_id = 'm-1'",
    );
    assert.deepEqual(rows, [{ user_id: "first" }], "the one that came first stays");
    // The same id of another project, or of another day of the client's clock, is another message.
    await write("other copies", [at("m-1", "2026-11-14")], NOW);
    await write("copies", [at("m-1", "2026-11-13")], NOW);
    assert.deepEqual(await idsOf("copies"), ["m-1", "m-1", "m-2", "m-3"]);
  });

  test(`keeps events, sessions and ledger consistent for random batches (TEST_SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    const write = await createTestWriter(local.engine, "random");
    const sent = new Set<string>();
    let received = 0;
    for (let round = 0; round < 25; round += 1) {
      const events = Array.from({ length: 1 + random.int(60) }, () => {
        const id = `r-${random.int(400)}`;
        sent.add(id);
        // The day and the visitor follow from the id, so that a copy is one.
        const time = `2026-11-${10 + (Number(id.slice(2)) % 5)}T08:00:00.000Z`;
        return sampleEvent(id, {
          channel: "server",
          original_timestamp: time,
          sent_at: time,
          anonymous_id: `v-${Number(id.slice(2)) % 7}`,
        });
      });
      received += events.length;
      await write("random", events, NOW);
    }
    const counts = await local.engine.select(
      `SELECT (SELECT count(*) FROM events WHERE project_id = 'random') AS events,
        (SELECT count(DISTINCT message_id) FROM events WHERE project_id = 'random') AS ids,
        (SELECT sum(events) FROM sessions WHERE project_id = 'random') AS of_sessions,
        (SELECT count(*) FROM sessions WHERE project_id = 'random') AS sessions`,
    );
    const n = sent.size;
    assert.deepEqual(counts.rows, [{ events: n, ids: n, of_sessions: n, sessions: 35 }]);
    assert.equal(await outcomesOf("random"), `duplicate ${received - n}, stored ${n}`);
  });

  test("that cannot be stored leaves no rows", async () => {
    const store = await local.engine.openBatchStore({ nodeId: "half", cursorFile: "" });
    await local.run("ALTER TABLE ledger RENAME TO ledger_away");
    await assert.rejects(store.store(batchOf("half", [sampleEvent("h-1")]), rangeOf(0, 10), signal), /ledger/);
    await local.run("ALTER TABLE ledger_away RENAME TO ledger");
    assert.deepEqual(await idsOf("half"), []);
    assert.equal(await selectNumber(local.engine, "SELECT count(*) AS n FROM sessions WHERE project_id = 'half'"), 0);
    assert.deepEqual((await store.position()).done, { segment: 0, offset: 0 });
    await store.store(batchOf("half", [sampleEvent("h-1")]), rangeOf(0, 10), signal);
    assert.equal(await outcomesOf("half"), "stored 1");
  });
});

describe("kill -9 of the engine between the commit of a batch and its answer", () => {
  test("the batch is sent again automatically and stored once", async (t) => {
    const host = await startTestEngine();
    t.after(() => host.stop());
    const wire = await createDeafProxy("127.0.0.1", () => Number(new URL(host.supervisor.url()).port));
    t.after(wire.close);
    const client = connectDuckdb({ url: () => `http://127.0.0.1:${wire.port}`, token: host.supervisor.token });
    t.after(() => client.close());
    const retries: unknown[] = [];
    const onRetry = (cause: unknown) => void retries.push(cause);
    const store = await client.openBatchStore({ nodeId: "n", cursorFile: "", onRetry });
    const events = () => selectNumber(host.engine, "SELECT count(*) AS n FROM events");
    wire.deafen();
    const storing = store.store(batchOf("p", [sampleEvent("k-1"), sampleEvent("k-2")]), rangeOf(0, 10), signal);
    await waitFor("the commit", async () => (await events()) === 2);
    await killEngine(host);
    assert.equal(retries.length, 0, "its answer is still waited for");
    wire.heal();
    const { ledger } = await storing;
    assert.ok(retries.length > 0);
    assert.deepEqual(
      ledger.map(({ outcome, events: n }) => [outcome, n]),
      [["stored", 2]],
    );
    assert.equal(await events(), 2);
    assert.equal(await selectNumber(host.engine, "SELECT sum(events) AS n FROM ledger"), 2);
    assert.deepEqual((await store.position()).done, rangeOf(0, 10).to);
  });
});

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import { LIVE_STREAM } from "../../contract/live.ts";
import { EngineDown } from "../../engines/failures.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { ReportOwner } from "../report/question.ts";
import { createRunLookup } from "../run/run-lookup.ts";
import { createQuerySlots } from "../run/slots.ts";
import { createLiveHub, type LiveClient } from "./hub.ts";

const START = Date.parse("2026-03-05T12:00:00Z");

interface Stored {
  name: string;
  key: number;
  receivedMs: number;
}

/** An engine of a few events, and a clock that the test moves. */
function createWorld(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: START });
  const stored: Stored[] = [];
  const world = { reads: 0, isDown: false, logged: [] as string[], elapsedMs: 0 };
  let [now, keys] = [0, 0];
  t.mock.method(performance, "now", () => now);
  const rowOf = ({ key, receivedMs, name }: Stored) => ({
    event_key: String(key),
    received_ms: receivedMs,
    at_ms: receivedMs,
    event: name,
  });
  const select = async (_sql: string, { params = {} }: { params?: Readonly<Record<string, unknown>> } = {}) => {
    if (world.isDown) throw new EngineDown("unavailable");
    world.reads += 1;
    now += world.elapsedMs;
    const { keys: wanted, since = 0 } = params as { keys?: bigint[]; since?: number };
    if (params.minute_ms !== undefined) return { rows: [{ live_visitors: 1, events_per_minute: 2 }] };
    const found = stored.filter(({ receivedMs }) => receivedMs >= since).sort((a, b) => b.receivedMs - a.receivedMs);
    const chosen = wanted === undefined ? found : found.filter(({ key }) => wanted.includes(BigInt(key)));
    return { rows: chosen.map(rowOf) };
  };
  const engine = {
    select,
    relations: {
      forReport: async () => ({ ctes: [], params: {} }),
      arrivals: (_projects: readonly string[], since: number) => ({ ctes: [], params: { since } }),
    },
  } as unknown as Pick<AnalyticsEngine, "select" | "relations">;
  const clock = { nowMs: () => Date.now() };
  const slots = createQuerySlots({ running: 9, waiting: 9, waitMs: 1_000 });
  const log = { warn: (_fields: object, message: string) => void world.logged.push(message) };
  const hub = createLiveHub({ runLookup: createRunLookup({ engine, clock, slots }), clock, log });
  return Object.assign(world, {
    hub,
    /** Stores an event that was received some time ago. */
    store(name: string, agoMs = 0, copyOf?: number) {
      keys += 1;
      const key = copyOf ?? keys;
      stored.push({ name, key, receivedMs: Date.now() - agoMs });
      return key;
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1) {
        t.mock.timers.tick(1_000);
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      }
    },
  });
}

const OWNER: ReportOwner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };

function createClient() {
  const seen = { names: [] as unknown[], skipped: 0, counts: 0, isStopped: false };
  const client: LiveClient = {
    onEvents(events, skipped) {
      seen.names.push(...events.map(({ data }) => data.event));
      seen.skipped += skipped;
    },
    onCounts() {
      seen.counts += 1;
    },
    onStop() {
      seen.isStopped = true;
    },
  };
  return { seen, client };
}

const free = () => undefined;

describe("the poller of new events", () => {
  test("each event is sent once, although polls look back, and copies of a message are one", async (t) => {
    const world = createWorld(t);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free);
    const key = world.store("a");
    await world.pass(3);
    world.store("copy of a", 0, key);
    world.store("b");
    await world.pass(70);
    assert.deepEqual(seen.names, ["a", "b"]);
  });

  test("an event that is stored within a minute of its receipt is sent, a later one is not", async (t) => {
    const world = createWorld(t);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free);
    await world.pass(90);
    world.store("late", 40_000);
    world.store("too late", 200_000);
    await world.pass(20);
    assert.deepEqual(seen.names, ["late"]);
  });

  test("events that arrive while the engine is down are sent afterwards, and its failure is logged once", async (t) => {
    const world = createWorld(t);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free);
    world.store("before");
    await world.pass(2);
    world.isDown = true;
    await world.pass(20);
    world.store("meanwhile", 15_000);
    await world.pass(20);
    world.isDown = false;
    await world.pass(15);
    assert.deepEqual(seen.names, ["before", "meanwhile"]);
    assert.equal(world.logged.length, 1);
  });

  test("streams about the same projects share the reads, and without streams nothing is read", async (t) => {
    const world = createWorld(t);
    const clients = [createClient(), createClient(), createClient()];
    const open = await Promise.all(clients.map(({ client }) => world.hub.open(OWNER, client, free)));
    world.store("a");
    await world.pass(10);
    assert.deepEqual(
      clients.map(({ seen }) => seen.names),
      [["a"], ["a"], ["a"]],
    );
    assert.ok(world.reads <= 11 + 3 + 1, `${world.reads} reads in ten seconds: a poll each, counts, the event`);
    const other = { ...OWNER, projects: [{ id: "q", excludeBots: false, retentionDays: null }] };
    const apart = await world.hub.open(other, createClient().client, free);
    for (const { close } of [...open, apart]) close();
    assert.equal(world.hub.count(), 0);
    const { reads } = world;
    await world.pass(10);
    assert.equal(world.reads, reads);
  });

  test("a slow engine is polled a fifth of the time", async (t) => {
    const world = createWorld(t);
    world.elapsedMs = 2_000;
    const { client } = createClient();
    await world.hub.open(OWNER, client, free);
    const { reads } = world;
    await world.pass(32);
    // A poll of 2 s, and counts of 2 s with it, pause for 8 s or for the longest pause of 10 s.
    assert.ok(world.reads - reads <= 8, `${world.reads - reads} reads`);
  });

  test("counts come every five seconds, and at once to a client that joins", async (t) => {
    const world = createWorld(t);
    const [first, second] = [createClient(), createClient()];
    await world.hub.open(OWNER, first.client, free);
    await world.pass(11);
    assert.equal(first.seen.counts, 3);
    await world.hub.open(OWNER, second.client, free);
    assert.equal(second.seen.counts, 1);
  });

  test("beyond 50 events a second the newest are sent and the others counted", async (t) => {
    const world = createWorld(t);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free);
    for (let n = 0; n < 120; n += 1) world.store(`e${n}`, 120 - n);
    await world.pass(2);
    assert.deepEqual([seen.names[0], seen.names.at(-1), seen.names.length, seen.skipped], ["e70", "e119", 50, 70]);
  });

  test("a client resumes with the newest 1,000 events since its position, and what comes meanwhile", async (t) => {
    const world = createWorld(t);
    for (let n = 0; n < 1_200; n += 1) world.store(`e${n}`, 60_000 - n);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free, { ms: START - 60_000, key: 1n });
    world.store("new");
    await world.pass(2);
    assert.deepEqual([seen.names.length, seen.names.at(-1), seen.skipped], [1_001, "new", 199]);
    assert.equal(new Set(seen.names).size, 1_001);
  });

  test("a position of more than half an hour ago resumes half an hour ago", async (t) => {
    const world = createWorld(t);
    world.store("old", 31 * 60_000);
    world.store("recent", 29 * 60_000);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free, { ms: 0, key: 0n });
    assert.deepEqual(seen.names, ["recent"]);
  });

  test("the 21st stream of a workspace is refused, and others still have room", async (t) => {
    const world = createWorld(t);
    const open = [];
    for (let n = 0; n < LIVE_STREAM.perWorkspace; n += 1)
      open.push(await world.hub.open(OWNER, createClient().client, free));
    await assert.rejects(
      world.hub.open(OWNER, createClient().client, free),
      (cause) => cause instanceof ApiError && cause.status === 429,
    );
    await world.hub.open({ ...OWNER, workspaceId: "x" }, createClient().client, free);
    open[0]?.close();
    open[0]?.close();
    await world.hub.open(OWNER, createClient().client, free);
  });

  test("an engine that is down refuses a new stream, and leaves no trace of it", async (t) => {
    const world = createWorld(t);
    world.isDown = true;
    await assert.rejects(world.hub.open(OWNER, createClient().client, free), EngineDown);
    assert.equal(world.hub.count(), 0);
    world.isDown = false;
    await world.hub.open(OWNER, createClient().client, free);
  });

  test("at a stop all streams are told, and no other is opened", async (t) => {
    const world = createWorld(t);
    const { seen, client } = createClient();
    await world.hub.open(OWNER, client, free);
    world.hub.close();
    assert.ok(seen.isStopped);
    await assert.rejects(
      world.hub.open({ ...OWNER, workspaceId: "x" }, createClient().client, free),
      (cause) => cause instanceof ApiError && cause.status === 503,
    );
  });
});

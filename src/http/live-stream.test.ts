import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { LiveClient, LiveHub } from "../query/live/hub.ts";
import { openLiveStream } from "./live-stream.ts";

const START = Date.parse("2026-03-05T12:00:00Z");
const OWNER = { workspaceId: "w", projects: [] };

/** A stream whose hub is the test, read when the test reads. */
async function open(t: TestContext, isStillAllowed: () => Promise<boolean> = async () => true) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: START });
  const clients: LiveClient[] = [];
  let closed = 0;
  const hub: LiveHub = {
    async open(_owner, client) {
      clients.push(client);
      return {
        close() {
          closed += 1;
        },
      };
    },
    count: () => clients.length,
    close: () => undefined,
  };
  const access = {
    hub,
    clock: { nowMs: () => Date.now() },
    isStillAllowed,
    spent: () => undefined,
  };
  const stream = await openLiveStream(access, OWNER, undefined);
  stream.setEncoding("utf8");
  const client = clients[0] ?? assert.fail("it subscribes");
  const read = (): string => (stream.read() as string | null) ?? "";
  return {
    stream,
    client,
    read,
    isClosed: () => closed > 0,
    send: (text: string, receivedMs = Date.now(), key = "1") =>
      client.onEvents([{ key, receivedMs, data: { text } }], 0),
    /** `reads`: whether the client reads all the time. */
    async pass(seconds: number, reads: boolean): Promise<string> {
      let text = "";
      for (let half = 0; half < seconds * 2; half += 1) {
        t.mock.timers.tick(500);
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
        if (reads) text += read();
      }
      return text;
    },
  };
}

describe("a stream of Server-Sent Events", () => {
  test("events, counts and skipped events have the format of the standard", async (t) => {
    const { client, read, send } = await open(t);
    assert.equal(read(), "retry: 2000\n\n");
    send("a\nb", START, "7");
    assert.equal(read(), `id: ${START}-7\nevent: event\ndata: {"text":"a\\nb"}\n\n`);
    client.onCounts({ live_visitors: 1, events_per_minute: 2 });
    assert.equal(read(), 'event: counts\ndata: {"live_visitors":1,"events_per_minute":2}\n\n');
    client.onEvents([], 3);
    assert.equal(read(), 'event: skipped\ndata: {"events":3}\n\n');
  });

  test("an event that was stored late does not move back where a client resumes", async (t) => {
    const { read, send } = await open(t);
    send("new", START, "7");
    send("late", START - 5_000, "9");
    send("newer", START, "8");
    const ids = [...read().matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    assert.deepEqual(ids, [`${START}-7`, `${START}-7`, `${START}-8`]);
  });

  test("a quiet stream has a comment every 15 seconds", async (t) => {
    const { pass } = await open(t);
    const text = await pass(61, true);
    assert.equal(text.match(/^:$/gm)?.length, 3);
  });

  test("a client that leaves 256 KiB unread is cut", async (t) => {
    const { stream, send, isClosed } = await open(t);
    for (let n = 0; n < 200; n += 1) send("x".repeat(1_000));
    assert.equal(stream.destroyed, false);
    for (let n = 0; n < 80; n += 1) send("x".repeat(1_000));
    assert.equal(stream.destroyed, true);
    await new Promise(setImmediate);
    assert.ok(isClosed());
  });

  test("a client that reads nothing for a minute is cut, one that reads is not", async (t) => {
    const { stream, send, pass } = await open(t);
    for (let n = 0; n < 40; n += 1) send("x".repeat(1_000));
    await pass(70, true);
    assert.equal(stream.destroyed, false);
    for (let n = 0; n < 40; n += 1) send("x".repeat(1_000));
    await pass(62, false);
    assert.equal(stream.destroyed, true);
  });

  for (const [name, isStillAllowed] of [
    ["revoked", async () => false],
    ["not to be checked", () => Promise.reject(new Error("the store is unavailable"))],
  ] as const)
    test(`a stream whose key is ${name} ends, and says why`, async (t) => {
      const { stream, pass, isClosed } = await open(t, isStillAllowed);
      assert.match(await pass(1, true), /event: end\ndata: {"reason":"key"}\n\n$/);
      await pass(1, true);
      assert.ok(stream.destroyed && isClosed());
    });

  test("a stop ends a stream, also of a client that does not read", async (t) => {
    const { stream, client, send, pass, isClosed } = await open(t);
    for (let n = 0; n < 40; n += 1) send("x".repeat(1_000));
    client.onStop();
    client.onCounts({ live_visitors: 1, events_per_minute: 2 });
    await pass(1, false);
    assert.ok(stream.destroyed && isClosed());
  });

  test("after half an hour the client has to connect again", async (t) => {
    const { stream, pass } = await open(t);
    await pass(1_795, true);
    assert.equal(stream.destroyed, false);
    assert.match(await pass(10, true), /event: end\ndata: {"reason":"age"}\n\n/);
    assert.equal(stream.destroyed, true);
  });
});

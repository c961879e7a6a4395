import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { LIVE_STREAM } from "../../src/contract/live.ts";
import { revokeApiKey } from "../../src/control/keys.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { newId } from "../../src/lib/ids.ts";
import { createLiveHub, type LiveHub } from "../../src/query/live/hub.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { quietLog } from "../support/control.ts";
import { expectError } from "../support/envelope.ts";
import { type EventStream, expectStream, openEventStream } from "../support/event-stream.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { setUp } from "../support/people.ts";
import { waitFor } from "../support/wait.ts";

describe("the stream of events", () => {
  let local: TestLocalEngine;
  let write: Awaited<ReturnType<typeof createTestWriter>>;
  let hub: LiveHub;
  let api: TestApi;
  const open: EventStream[] = [];

  before(async () => {
    local = await startLocalEngine();
    write = await createTestWriter(local.engine);
    const { engine } = local;
    const slots = createQuerySlots({ running: 4, waiting: 10, waitMs: 5_000 });
    const runLookup = createRunLookup({ engine, clock: systemClock, slots });
    hub = createLiveHub({ runLookup, clock: systemClock, log: quietLog, pace: { pollMs: 50, countsMs: 300 } });
    api = await startApi("sqlite", {}, [], { live: hub, runLookup });
  });
  after(async () => {
    for (const stream of open) stream.close();
    await waitFor("all streams to be closed", () => hub.count() === 0);
    await api.stop();
    await local.stop();
  });

  const url = (query = "") => `${api.apiUrl}/v0/live/stream${query}`;
  const listen = async (key: TestKey, headers: Record<string, string> = {}) => {
    const stream = await expectStream(url(), key.text, headers);
    open.push(stream);
    return stream;
  };
  /** A key with a project of its own. */
  const createTenant = async () => {
    const key = await api.createKey();
    return { key, project: await api.createProject(key.workspaceId, "App") };
  };
  const send = (project: string, names: readonly string[], changes: Record<string, unknown> = {}, at = Date.now()) =>
    write(
      project,
      names.map((name) => sampleEvent(newId("req"), { event: name, ...changes })),
      at,
    ).then(() => undefined);
  const namesOf = (stream: EventStream) =>
    stream.messages.filter(({ event }) => event === "event").map(({ data }) => data.event);

  test("an event arrives soon after it is stored, in short form, and with counts beside it", async () => {
    const { key, project } = await createTenant();
    const stream = await listen(key);
    const { headers } = stream.response;
    assert.equal(headers["content-type"], "text/event-stream");
    assert.deepEqual([headers["cache-control"], headers["x-accel-buffering"]], ["no-store", "no"]);
    await send(project, ["before"]);
    await stream.find("event", ({ event }) => event === "before");
    const properties = JSON.stringify({ revenue: 2.5, chain_id: 8453 });
    await send(project, ["Purchase"], { type: "track", anonymous_id: "visitor-of-many-letters", properties });
    const { id, data } = await stream.find("event", ({ event }) => event === "Purchase");
    assert.match(id, /^\d+-\d+$/);
    assert.match(String(data.id), /^\d+-\d+$/);
    assert.ok(Math.abs(Date.parse(String(data.timestamp)) - Date.now()) < 60_000);
    assert.deepEqual(
      [data.project_id, data.type, data.page_path, data.revenue, data.chain_id, data.visitor],
      [project, "track", "/swap", 2.5, "8453", "visitor-"],
    );
    const counts = await stream.find("counts", ({ events_per_minute }) => events_per_minute === 2);
    assert.equal(counts.data.live_visitors, 1);
  });

  test("events that were stored before the stream was opened are not in it", async () => {
    const { key, project } = await createTenant();
    await send(project, ["earlier"], {}, Date.now() - 2_000);
    const stream = await listen(key);
    await send(project, ["later"]);
    await stream.find("event");
    assert.deepEqual(namesOf(stream), ["later"]);
  });

  test("a client resumes after the last event it has seen, and gets none twice", async () => {
    const { key, project } = await createTenant();
    const first = await listen(key);
    await send(project, ["one"]);
    const { id } = await first.find("event");
    first.close();
    await send(project, ["two", "three"]);
    const second = await listen(key, { "last-event-id": id });
    await send(project, ["four"]);
    await second.find("event", ({ event }) => event === "four");
    assert.equal(namesOf(second).length, 3);
    assert.deepEqual(new Set(namesOf(second)), new Set(["two", "three", "four"]));
    const third = await listen(key, { "last-event-id": "no position" });
    await send(project, ["five"]);
    await third.find("event");
    assert.deepEqual(namesOf(third), ["five"]);
  });

  test("beyond 50 events a second the newest are sent, and the others are counted", async () => {
    // So many that a busy machine, which takes seconds, cannot let all of them pass.
    const SENT = 900;
    const { key, project } = await createTenant();
    const startedAt = performance.now();
    const stream = await listen(key);
    await send(
      project,
      Array.from({ length: SENT }, (_, n) => `e${n}`),
    );
    const countSkipped = () =>
      stream.messages
        .filter(({ event }) => event === "skipped")
        .reduce((sum, { data }) => sum + Number(data.events), 0);
    await waitFor("all to be sent or counted", () => countSkipped() + namesOf(stream).length >= SENT);
    const named = namesOf(stream).length;
    assert.equal(countSkipped() + named, SENT);
    const most = 50 * Math.max(1, Math.ceil((performance.now() - startedAt) / 1000));
    assert.ok(named <= most, `${named} were sent, of at most ${most}`);
  });

  test("a new project shows no bots", async () => {
    const { key, project } = await createTenant();
    const stream = await listen(key);
    const context = JSON.stringify({ user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" });
    await send(project, ["bot"], { context });
    await send(project, ["person"]);
    await stream.find("event", ({ event }) => event === "person");
    assert.deepEqual(namesOf(stream), ["person"]);
  });

  test("401, 403 and 404 as on other routes", async () => {
    const { key } = await createTenant();
    await expectError(
      await fetch(url(), { headers: { authorization: "Bearer sxt_wrong" } }),
      "plain",
      401,
      "UNAUTHORIZED",
    );
    const narrow = await api.createKey({ scopes: ["forms:read"] });
    const denied = await fetch(url(), { headers: { authorization: `Bearer ${narrow.text}` } });
    await expectError(denied, "plain", 403, "FORBIDDEN");
    const absent = await fetch(url("?project_id=prj_none"), { headers: { authorization: `Bearer ${key.text}` } });
    await expectError(absent, "plain", 404, "NOT_FOUND");
  });

  test("429: a workspace has at most 20 streams, and closing one makes room", async () => {
    const { key } = await createTenant();
    const streams = await Promise.all(Array.from({ length: LIVE_STREAM.perWorkspace }, () => listen(key)));
    const refused = await fetch(url(), { headers: { authorization: `Bearer ${key.text}` } });
    await expectError(refused, "plain", 429, "TOO_MANY_REQUESTS");
    streams[0]?.close();
    await waitFor("room for another stream", async () => {
      const stream = await openEventStream(url(), key.text);
      open.push(stream);
      return stream.response.statusCode === 200;
    });
    for (const stream of open) stream.close();
  });

  test("a revoked and an expired key end their streams within about a second", async () => {
    const { key } = await createTenant();
    const expiring = await api.createKey({ workspaceId: key.workspaceId });
    const [revoked, expired] = [await listen(key), await listen(expiring)];
    const kept = await listen(await api.createKey({ workspaceId: key.workspaceId }));
    await api.store.write(async (tx) => {
      await revokeApiKey(tx, key.workspaceId, key.id, Date.now());
      await sql`update api_keys set expires_at = ${Date.now() + 1_500} where id = ${expiring.id}`.execute(tx);
    });
    for (const stream of [revoked, expired]) {
      assert.deepEqual((await stream.find("end", () => true, 10_000)).data, { reason: "key" });
      await waitFor("the end of the stream", () => stream.hasEnded());
    }
    assert.equal(kept.hasEnded(), false);
  });

  test("a browser listens with the cookie of its session, until the session ends", async () => {
    const ada = await setUp(api);
    const project = await api.createProject(ada.workspaceId, "App");
    const headers = { cookie: ada.cookie, "x-sextant-workspace": ada.workspaceId };
    const stream = await expectStream(url(), undefined, headers);
    open.push(stream);
    await send(project, ["seen"]);
    await stream.find("event", ({ event }) => event === "seen");
    assert.equal((await ada.send("POST", "/api/sign-out")).status, 200);
    assert.deepEqual((await stream.find("end", () => true, 5_000)).data, { reason: "key" });
  });

  test("a HEAD leaves no stream open", async () => {
    for (const stream of open) stream.close();
    await waitFor("all streams to be closed", () => hub.count() === 0);
    const { key } = await createTenant();
    const head = await fetch(url(), { method: "HEAD", headers: { authorization: `Bearer ${key.text}` } });
    assert.equal(head.status, 200);
    await waitFor("the stream to be closed", () => hub.count() === 0);
  });
});

/** Sends without end to each client. */
function createFloodingHub() {
  const sent = { bytes: 0 };
  const timers = new Set<NodeJS.Timeout>();
  const hub: LiveHub = {
    async open(_owner, client) {
      const data = { text: "x".repeat(1_000) };
      const timer = setInterval(() => {
        for (let n = 0; n < 50; n += 1) {
          client.onEvents([{ key: String(n), receivedMs: Date.now(), data }], 0);
          sent.bytes += 1_000;
        }
      }, 5);
      timers.add(timer);
      return {
        close() {
          clearInterval(timer);
          timers.delete(timer);
        },
      };
    },
    count: () => timers.size,
    close: () => undefined,
  };
  return { hub, sent };
}

test("a client that stops reading is cut, and little is kept for it", async () => {
  const { hub, sent } = createFloodingHub();
  const api = await startApi("sqlite", {}, [], { live: hub });
  const key = await api.createKey();
  const { hostname, port } = new URL(api.apiUrl);
  const socket = connect(Number(port), hostname);
  try {
    socket.on("error", () => undefined);
    socket.write(`GET /v0/live/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.text}\r\n\r\n`);
    await new Promise<void>((resolve) => {
      socket.once("data", () => resolve());
    });
    socket.pause();
    await waitFor("the subscription to be closed", () => hub.count() === 0);
    // The buffers of both sockets hold some megabytes before the first byte waits here.
    assert.ok(sent.bytes < 64 * 1024 * 1024, `${sent.bytes} bytes`);
  } finally {
    socket.destroy();
    await api.stop();
  }
});

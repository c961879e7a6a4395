import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { gzipSync, zstdDecompressSync } from "node:zlib";
import { createBodyThread } from "../../src/ingest/body-thread.ts";
import { takeEvents } from "../../src/ingest/take-events.ts";
import { sampleEvent } from "../support/events.ts";

const RULES = { rules: "tracked", lines: false, detail: true, seed: { low: 1, high: 2 } } as const;

function open(t: TestContext) {
  const thread = createBodyThread();
  t.after(() => thread.close());
  return thread;
}
/** With memory of its own. */
const bodyOf = (value: unknown) => Buffer.concat([Buffer.from(JSON.stringify(value))]);

describe("the thread that reads large bodies", () => {
  test("takes a body as the main thread does, and gives back what to log", async (t) => {
    const events = [sampleEvent("one"), {}, sampleEvent("two", { properties: { text: "x".repeat(20_000) } })];
    const text = JSON.stringify(events);
    const thread = open(t);
    const { taken, logged } = await thread.take(bodyOf(events), RULES);
    assert.deepEqual(taken, takeEvents(Buffer.from(text), undefined, RULES));
    assert.equal(logged?.bodyBytes, text.length);
    assert.equal(zstdDecompressSync(logged?.bytes ?? "").toString(), text);
    assert.equal((await thread.take(bodyOf([{}]), RULES)).logged, undefined, "a refused body is not logged");
  });

  test("unpacks, and says why it does not", async (t) => {
    const thread = open(t);
    const packed = gzipSync("x".repeat(100_000));
    assert.equal((await thread.unpack(packed, "gzip", 100_000)).length, 100_000);
    assert.equal((await thread.unpack(gzipSync("small"), "gzip", 100)).toString(), "small");
    assert.equal(await thread.unpack(packed, "gzip", 99_999), "too_large");
    assert.equal(await thread.unpack(packed, "zstd", 100_000), "not_valid");
  });

  test("a thread that dies is a 503 for the body it had; the next body gets a new thread", async (t) => {
    const dying = `import { parentPort } from "node:worker_threads";
      parentPort.on("message", ({ type }) => {
        if (type === "unpack") process.exit(1);
        parentPort.postMessage({ type: "taken", taken: { kind: "events" } });
      });`;
    const thread = createBodyThread(new URL(`data:text/javascript,${encodeURIComponent(dying)}`));
    t.after(() => thread.close());
    const lost = thread.unpack(gzipSync("x"), "gzip", 100);
    const after = thread.take(bodyOf(sampleEvent("one")), RULES);
    await assert.rejects(lost, { code: "SERVICE_UNAVAILABLE" });
    assert.equal((await after).taken.kind, "events");
  });

  test("a body whose client went away is not read, and beyond 64 that wait there is a 503", async (t) => {
    const thread = open(t);
    const gone = new AbortController();
    const first = thread.take(bodyOf(sampleEvent("first")), RULES);
    const abandoned = thread.take(bodyOf(sampleEvent("second")), RULES, gone.signal);
    const waiting = Array.from({ length: 63 }, (_, i) => thread.take(bodyOf(sampleEvent(`${i}`)), RULES));
    await assert.rejects(thread.take(bodyOf(sampleEvent("last")), RULES), { code: "SERVICE_UNAVAILABLE" });
    gone.abort();
    await assert.rejects(abandoned, { name: "AbortError" });
    assert.deepEqual(
      new Set((await Promise.all([first, ...waiting])).map(({ taken }) => taken.kind)),
      new Set(["events"]),
    );
  });

  test("what waits when it closes is a 503", async () => {
    const thread = createBodyThread();
    const bodies = [1, 2].map((i) => thread.take(bodyOf(sampleEvent(`${i}`)), RULES));
    const ended = Promise.all(bodies.map((body) => assert.rejects(body, { code: "SERVICE_UNAVAILABLE" })));
    await thread.close();
    await ended;
    await assert.rejects(thread.take(bodyOf({}), RULES), { code: "SERVICE_UNAVAILABLE" });
  });
});

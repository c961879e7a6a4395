import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, type TestContext, test } from "node:test";
import { decodeRow } from "../../src/engines/row-binary.ts";
import { acceptEvents, type EventsRequest } from "../../src/ingest/accept.ts";
import { createBodyThread } from "../../src/ingest/body-thread.ts";
import type { Log } from "../../src/ingest/log.ts";
import { LOG_START } from "../../src/ingest/log-position.ts";
import { decodeRequest, packBody, sizeOf, unpackBody } from "../../src/ingest/logged-request.ts";
import { createRecentIds } from "../../src/ingest/recent-ids.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { createMemoryDisk, openTestLog } from "../support/faulty-files.ts";

/** An acceptor whose log stores records after a moment, as a disk does. */
function openDoor(t: TestContext) {
  const payloads: Buffer[] = [];
  const thread = createBodyThread();
  t.after(() => thread.close());
  const write: Log["write"] = (parts, settle) => {
    payloads.push(Buffer.concat(parts));
    setTimeout(() => settle(undefined, { segment: 1, offset: 0 }), 5);
  };
  const deps = {
    log: { write },
    clock: systemClock,
    recent: createRecentIds(),
    logger: quietLog,
    thread,
    count: () => undefined,
  };
  const accept = (body: EventsRequest["body"], more: Partial<EventsRequest> = {}) =>
    acceptEvents(deps, {
      workspaceId: "w",
      projectId: "p",
      rules: "raw",
      body,
      lines: false,
      detail: false,
      country: undefined,
      idBase: undefined,
      ...more,
    });
  return { accept, payloads };
}

function idsOf(payloads: readonly Buffer[]): string[] {
  const { events, starts } = createTransform(
    undefined,
    undefined,
    "rows",
  )(payloads.map((payload, i) => ({ payload, recordId: `n-${i}` })));
  return Array.from(starts, (start) => String(decodeRow(Buffer.concat(events).subarray(start)).message_id));
}

describe("the log record of a request", () => {
  const LEAST = { type: "page", channel: "web", version: "0", anonymous_id: "v" };

  test("gives each event without an id a new one, and a different one when the same body is sent again", async (t) => {
    const { accept, payloads } = openDoor(t);
    const events = [
      { ...LEAST, message_id: "own" },
      LEAST,
      { ...LEAST, message_id: null },
      { ...LEAST, message_id: "" },
    ];
    const body = [Buffer.from(JSON.stringify(events))];
    await accept(body);
    await accept(body);
    const ids = idsOf(payloads);
    assert.equal(ids.length, 8);
    assert.equal(new Set(ids).size, 7, `all but the client's own are different: ${ids.join()}`);
  });

  test("has a source of ids for parked events, too", async (t) => {
    const { accept, payloads } = openDoor(t);
    await accept([Buffer.from(JSON.stringify([{ ...LEAST, message_id: "own" }, { type: 1 }]))]);
    assert.match(decodeRequest(payloads[0] ?? assert.fail()).request.idBase, /^msg_/);
  });

  test("has each body complete when many arrive in pieces at the same time", async (t) => {
    const { accept, payloads } = openDoor(t);
    const bodies = Array.from({ length: 20 }, (_, i) =>
      JSON.stringify(Array.from({ length: 3 + i }, (_, j) => sampleEvent(`m-${i}-${j}`))),
    );
    const cut = (text: string, size: number) =>
      Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        Buffer.from(text.slice(i * size, (i + 1) * size)),
      );
    const accepted = await Promise.all(bodies.map((body, i) => accept(cut(body, 100 + i))));
    assert.deepEqual(
      accepted.map((answer) => answer.accepted),
      bodies.map((_, i) => 3 + i),
    );
    assert.deepEqual(payloads.map((payload) => decodeRequest(payload).body.toString()).sort(), [...bodies].sort());
  });

  test("is small when a large body packs well, unpacks to what was sent, and counts unpacked when read", async (t) => {
    const { accept, payloads } = openDoor(t);
    const properties = { text: "é".repeat(100_000) };
    const text = JSON.stringify(["a", "b"].map((id) => sampleEvent(id, { properties })));
    for (let i = 0; i < 3; i += 1) await accept([Buffer.from(text)]);
    const [payload = assert.fail()] = payloads;
    assert.ok(payload.length < 5_000, `${payload.length} bytes`);
    const { request, body } = decodeRequest(payload);
    assert.equal(unpackBody(request, body).toString(), text);
    assert.deepEqual(idsOf([payload]), ["a", "b"]);

    const log = await openTestLog("disk", { files: createMemoryDisk().files });
    for (const each of payloads) await log.append(each);
    const readUpTo = async (maxBytes: number) =>
      (await log.read(LOG_START, { maxBytes, maxRecords: 10, sizeOf })).records.length;
    const one = Buffer.byteLength(text) + payload.length;
    assert.deepEqual([await readUpTo(one - 1), await readUpTo(2 * one), await readUpTo(4 * one)], [1, 2, 3]);
    await log.close();
  });

  test("holds bytes that do not pack as they are", () => {
    const bytes = randomBytes(1_000);
    assert.deepEqual(packBody(bytes), { bytes });
  });

  test("accepts a body in any number of pieces", async (t) => {
    const { accept, payloads } = openDoor(t);
    const text = JSON.stringify(sampleEvent("trickled")).padEnd(200_000, " ");
    await accept(Array.from(text, (letter) => Buffer.from(letter)));
    assert.equal(decodeRequest(payloads[0] ?? assert.fail()).body.toString(), text);
  });
});

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { LIMITS } from "../../src/contract/limits.ts";
import { createBodyThread } from "../../src/ingest/body-thread.ts";
import { createRecentIds } from "../../src/ingest/recent-ids.ts";
import { createSendEvents } from "../../src/ingest/send-events.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createTransform } from "../../src/warehouse/transform.ts";
import { quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { openTestLog } from "../support/faulty-files.ts";

async function openDoor(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "inner-door-"));
  const log = await openTestLog(dir);
  const thread = createBodyThread();
  t.after(async () => {
    await thread.close();
    await log.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const payloads: Buffer[] = [];
  const counts: Record<string, number> = {};
  const send = createSendEvents({
    log: {
      write(parts, settle, ...rest) {
        const payload = Buffer.concat(parts);
        const note: typeof settle = (cause, position) => {
          if (cause === undefined) payloads.push(payload);
          settle(cause, position);
        };
        log.write(parts, note, ...rest);
      },
    },
    clock: systemClock,
    recent: createRecentIds(),
    logger: quietLog,
    thread,
    count: (outcome, events) => {
      counts[outcome] = (counts[outcome] ?? 0) + events;
    },
  });
  const stored = () => createTransform()(payloads.map((payload, i) => ({ payload, recordId: `n-${i}` })));
  return { send, counts, stored };
}

describe("the inner door for events", () => {
  test("checks each event as the outer one: good ones are on disk, a bad one among them is parked", async (t) => {
    const { send, counts, stored } = await openDoor(t);
    const answer = await send("w", "p", [sampleEvent("one"), sampleEvent("two"), { type: "page" }]);
    assert.partialDeepStrictEqual(answer, { accepted: 2, parked: 1 });
    assert.deepEqual(counts, { accepted: 2, parked: 1 });
    assert.equal(stored().eventCount, 2);
  });

  test("refuses what the outer one refuses, and counts it", async (t) => {
    const { send, counts } = await openDoor(t);
    await assert.rejects(send("w", "p", [{ type: "page" }]), { code: "INVALID_VALIDATION_REQUEST" });
    const many = Array.from({ length: LIMITS.eventsPerRequest + 1 }, () => ({}));
    await assert.rejects(send("w", "p", many), { code: "BAD_REQUEST" });
    assert.deepEqual(counts, { refused: 1 + many.length });
  });

  test("takes no more bytes at once than the outer one", async (t) => {
    const { send, counts } = await openDoor(t);
    await assert.rejects(send("w", "p", [{ text: "x".repeat(LIMITS.eventsBodyBytes) }]), RangeError);
    assert.deepEqual(counts, {});
  });
});

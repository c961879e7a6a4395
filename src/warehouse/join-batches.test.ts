import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRequest } from "../ingest/logged-request.ts";
import { joinBatches } from "./join-batches.ts";
import { createTransform } from "./transform.ts";

const RECEIVED = Date.UTC(2026, 10, 15, 12, 0, 30);

function recordOf(nth: number, receivedAtMs: number) {
  const request = {
    projectId: `p${nth % 2}`,
    workspaceId: "w",
    receivedAtMs,
    rules: "tracked",
    lines: false,
    idBase: "x",
  } as const;
  const at = new Date(receivedAtMs).toISOString();
  const event = {
    ...{ type: "page", channel: "web", version: "0", message_id: `m${nth}`, anonymous_id: `v${nth}`, user_id: "" },
    ...{ address: "", event: "", context: {}, properties: {}, original_timestamp: at, sent_at: at },
  };
  // Every third one is parked: it has no context.
  const body = JSON.stringify(nth % 3 === 0 ? { ...event, context: 1 } : event);
  return { payload: Buffer.concat(encodeRequest(request, Buffer.from(body))), recordId: `n-${nth}` };
}

test("joined batches are what one transform of all their records makes", () => {
  const records = Array.from({ length: 12 }, (_, nth) => recordOf(nth, RECEIVED + nth * 20_000));
  const transform = createTransform(undefined, undefined, "rows");
  const whole = transform(records);
  const copyOf = (some: typeof records) => structuredClone(transform(some));
  const joined = joinBatches([copyOf(records.slice(0, 1)), copyOf(records.slice(1, 7)), copyOf(records.slice(7))]);
  const byText = (entries: readonly unknown[]) => entries.map((entry) => JSON.stringify(entry)).toSorted();
  assert.deepEqual(
    {
      events: Buffer.concat(joined.events).toString("hex"),
      starts: [...joined.starts],
      parked: Buffer.from(joined.parked).toString(),
      ledger: byText(joined.ledger),
      partitions: byText(joined.partitions),
      eventCount: joined.eventCount,
      firstReceivedAtMs: joined.firstReceivedAtMs,
    },
    {
      events: Buffer.concat(whole.events).toString("hex"),
      starts: [...whole.starts],
      parked: Buffer.from(whole.parked).toString(),
      ledger: byText(whole.ledger),
      partitions: byText(whole.partitions),
      eventCount: 8,
      firstReceivedAtMs: RECEIVED,
    },
  );
});

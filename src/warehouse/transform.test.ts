import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { openBlock } from "../engines/event-block.ts";
import { EVENT_COLUMNS } from "../engines/event-columns.ts";
import { decodeRow } from "../engines/row-binary.ts";
import { encodeRequest, type LoggedRequest } from "../ingest/logged-request.ts";
import { cleanBody } from "../ingest/testing.ts";
import { IS_LONG, SEED } from "../lib/testing.ts";
import { createTransform } from "./transform.ts";

const RECEIVED = Date.UTC(2026, 2, 10, 12);
const NEXT_DAY = RECEIVED + 86_400_000;
const LEAST = { type: "page", channel: "web", version: "0", anonymous_id: "v" };
const transform = createTransform(undefined, undefined, "rows");

function rowOf(event: object, request: Partial<LoggedRequest> = {}) {
  const whole: LoggedRequest = {
    projectId: "p",
    workspaceId: "w",
    receivedAtMs: RECEIVED,
    rules: "raw",
    lines: false,
    idBase: "msg_x",
    ...request,
  };
  const { events } = transform([
    { payload: Buffer.concat(encodeRequest(whole, Buffer.from(JSON.stringify(event)))), recordId: "n-1.0" },
  ]);
  const row = decodeRow(events[0] ?? assert.fail());
  return { ...row, age: RECEIVED - Number(row.timestamp), key: `${row.dedupe_day} ${row.message_id}` };
}

describe("times a client left out", () => {
  const original_timestamp = "2026-03-10T09:00:00.000Z";
  const cases: [what: string, event: object, ageMs: number][] = [
    ["both: the event is of the time of receipt", {}, 0],
    ["sent_at: the event keeps its own time", { original_timestamp }, 3 * 3_600_000],
    ["sent_at, of an old event: a backfill", { original_timestamp: "2026-02-10T12:00:00Z" }, 28 * 86_400_000],
    ["original_timestamp: the client's clock says nothing of its age", { sent_at: "2026-03-11T12:00:00Z" }, 0],
    ["original_timestamp, on a slow clock", { sent_at: "2026-03-09T12:00:00Z" }, 0],
  ];
  for (const [what, event, age] of cases) test(what, () => assert.equal(rowOf({ ...LEAST, ...event }).age, age));
});

describe("the key of an event that came without a time", () => {
  const keyOf = (event: object, request: Partial<LoggedRequest>) => rowOf({ ...LEAST, ...event }, request).key;

  test("is the same on both sides of midnight, when its id is", () => {
    for (const event of [{ message_id: "m" }, { message_id: "m", sent_at: "2026-03-10T12:00:00Z" }]) {
      const later = "sent_at" in event ? { ...event, sent_at: "2026-03-11T12:00:00Z" } : event;
      assert.equal(keyOf(event, { receivedAtMs: RECEIVED }), keyOf(later, { receivedAtMs: NEXT_DAY }));
    }
    const repeatable = { repeatable: true } as const;
    assert.equal(
      keyOf({}, { ...repeatable, receivedAtMs: RECEIVED }),
      keyOf({}, { ...repeatable, receivedAtMs: NEXT_DAY }),
    );
  });

  test("has the day of receipt when its id is made here, for no retry has the same", () => {
    assert.equal(keyOf({}, {}), "2026-03-10 msg_x-0");
  });
});

describe("a body that was found clean", () => {
  const toColumns = createTransform();
  const records = (body: Uint8Array, request: Partial<LoggedRequest>) => {
    const rules = { projectId: "p", workspaceId: "w", receivedAtMs: RECEIVED, rules: "raw", lines: false } as const;
    const whole = { ...rules, idBase: "msg_x", ...request };
    return [{ payload: Buffer.concat(encodeRequest(whole, body)), recordId: "n-1.0" }];
  };

  test("becomes the same block and the same rows as one that is parsed and checked", () => {
    let events = 0;
    fc.assert(
      fc.property(cleanBody, (body) => {
        const [sent, parsed] = [records(body, { clean: true }), records(body, {})];
        assert.deepEqual(transform(sent), transform(parsed));
        const [one, other] = [toColumns(sent), toColumns(parsed)];
        assert.deepEqual(contentOf(one.events), contentOf(other.events));
        assert.deepEqual({ ...one, events: [] }, { ...other, events: [] });
        events += one.eventCount;
      }),
      { seed: SEED, numRuns: IS_LONG ? 5_000 : 300 },
    );
    assert.ok(events > 100, `${events} events were compared`);
  });

  test("is parked if it is no UTF-8 after all: its bytes are never stored", () => {
    const event = '{"channel":"web","type":"page","anonymous_id":"a","version":"0","context":{"page_title":"?"}}';
    const bytes = Buffer.from(event);
    bytes[bytes.indexOf("?")] = 0xff;
    const [sent, parsed] = [records(bytes, { clean: true }), records(bytes, {})].map((each) => toColumns(each));
    for (const batch of [sent, parsed]) assert.deepEqual([batch?.eventCount, batch?.parked.length !== 0], [0, true]);
    assert.deepEqual(sent?.ledger, parsed?.ledger);
  });

  /** Without the bytes between heap and columns, which are any. */
  function contentOf([block]: readonly Uint8Array[]) {
    assert.ok(block !== undefined);
    const { rows, heap, texts, column } = openBlock(block);
    return { rows, heap, texts, columns: EVENT_COLUMNS.map(([name]) => column(name)) };
  }
});

test("a packed body that does not unpack is parked, and blocks nothing after it", () => {
  const common = { projectId: "p", workspaceId: "w", receivedAtMs: RECEIVED, rules: "raw", lines: false } as const;
  const record = (request: Partial<LoggedRequest>, body: string) =>
    Buffer.concat(encodeRequest({ ...common, idBase: "msg_x", ...request }, Buffer.from(body)));
  const { parked, eventCount } = transform([
    { payload: record({ bodyBytes: 100 }, "no zstd"), recordId: "n-1" },
    { payload: record({}, JSON.stringify(LEAST)), recordId: "n-2" },
  ]);
  assert.equal((JSON.parse(Buffer.from(parked).toString()) as { reason: string }).reason, "unreadable_record");
  assert.equal(eventCount, 1);
});

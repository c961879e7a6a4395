import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type EventBlock, millisOf, openBlock, textOf } from "../engines/event-block.ts";
import { type ColumnKind, EVENT_COLUMNS, EVENT_HEAD } from "../engines/event-columns.ts";
import { decodeRow, encodeExportedRows } from "../engines/row-binary.ts";
import { blankRow, type EventRow } from "../enrich/row.ts";
import { SEED } from "../lib/testing.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { createEventWriter, toStoredRow } from "./stored-row.ts";

const HASHES = ["visitor", "session", "dedupe_key"] as const;

function hashesAt(bytes: Uint8Array, start: number) {
  const row = Buffer.from(bytes.subarray(start));
  return Object.fromEntries(HASHES.map((name) => [name, row.readBigUInt64LE(EVENT_HEAD[name])]));
}

/** A row of a block, keyed by column name. */
function readRow(block: EventBlock, nth: number): Record<string, unknown> {
  const read = (name: string, kind: ColumnKind): unknown => {
    const words = block.column(name);
    if (kind === "text") return textOf(block, words[nth] ?? 0);
    if (kind === "day") return dayOf((words[nth] ?? 0) * DAY_MS);
    if (kind === "byte") return words[nth];
    if (kind === "time" || kind === "millis") return millisOf(words, nth);
    const pair = words.slice(nth * 2, nth * 2 + 2).buffer;
    return kind === "float" ? new Float64Array(pair)[0] : new BigUint64Array(pair)[0];
  };
  return Object.fromEntries(EVENT_COLUMNS.map(([name, kind]) => [name, read(name, kind)]));
}

describe("encoded events", () => {
  test("every row of RowBinary and of columns comes back as it was, whatever its texts hold", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.constant("ü".repeat(42)),
      fc.constant("x".repeat(20_000)),
      fc.constant("\u0000"),
    );
    const row = fc.record({
      pathname: text,
      properties: text,
      message_id: text,
      timestamp: fc.integer({ min: 0, max: 4_102_444_799_999 }),
      received_at: fc.integer({ min: 0, max: 4_102_444_799_999 }),
      sent_at: fc.integer({ min: 0, max: 4_102_444_799_999 }),
      revenue: fc.double({ noNaN: true }),
    });
    const columns = createEventWriter("columns");
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (changes) => {
        const blank = {
          ...blankRow({ projectId: "p", receivedAtMs: 1_794_000_000_000 }),
          day: "2026-11-15",
          has_touch: 1,
        } as EventRow;
        const rows = changes.map((change) => ({ ...blank, ...change }));
        const writer = createEventWriter("rows");
        for (const one of rows) writer.add(one);
        const { events: bytes, starts } = writer.finish();
        const back = [...starts].map((start, i) => decodeRow(bytes.subarray(start, starts[i + 1] ?? bytes.length)));
        assert.deepEqual(back, rows.map(toStoredRow));
        const again = encodeExportedRows(back);
        assert.deepEqual(Buffer.compare(again.bytes, bytes), 0, "and makes the same bytes, hashes included");
        columns.clear();
        for (const one of rows) columns.add(one);
        const block = openBlock(columns.finish().events);
        assert.deepEqual(
          rows.map((_, nth) => readRow(block, nth)),
          back.map((row, nth) => ({ ...row, ...hashesAt(bytes, starts[nth] ?? 0) })),
        );
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  test("its columns have each name once", () => {
    assert.equal(new Set(EVENT_COLUMNS.map(([name]) => name)).size, EVENT_COLUMNS.length);
  });
});

describe("the hashes of an event", () => {
  const EVENT = {
    ...blankRow({ projectId: "prj_1", receivedAtMs: 1_794_000_000_000 }),
    message_id: "m1",
    day: "2026-11-06",
    timestamp: Date.UTC(2026, 10, 6, 12),
    anonymous_id: "a1",
  } as EventRow;
  const nextDay = { timestamp: Date.UTC(2026, 10, 7) };
  type Name = "visitor" | "session" | "dedupe_key";

  function hashesOf(change: Partial<EventRow>): Record<Name, bigint> {
    const writer = createEventWriter("columns");
    writer.add({ ...EVENT, ...change });
    const block = openBlock(writer.finish().events);
    const read = (name: Name) => {
      const [low = 0, high = 0] = block.column(name);
      return BigInt(low) + (BigInt(high) << 32n);
    };
    return { session: read("session"), visitor: read("visitor"), dedupe_key: read("dedupe_key") };
  }

  test("are the same in every version: stored ones are compared with them", () => {
    assert.deepEqual(hashesOf({}), {
      session: 11_833_674_833_318_849_682n,
      visitor: 18_151_002_094_784_932_496n,
      dedupe_key: 14_694_040_480_995_156_362n,
    });
  });

  const cases: [what: string, one: Partial<EventRow>, other: Partial<EventRow>, same: Record<Name, boolean>][] = [
    ["another message", {}, { message_id: "m2" }, { visitor: true, session: true, dedupe_key: false }],
    ["another project", {}, { project_id: "prj_2" }, { visitor: true, session: true, dedupe_key: false }],
    [
      "another day of the client's clock",
      {},
      { day: "2026-11-05" },
      { visitor: true, session: true, dedupe_key: false },
    ],
    ["the next day", {}, nextDay, { visitor: true, session: false, dedupe_key: true }],
    [
      "a session id on both days",
      { session_id: "s" },
      { session_id: "s", ...nextDay },
      { visitor: true, session: false, dedupe_key: true },
    ],
    [
      "another visitor of one session",
      { session_id: "s" },
      { session_id: "s", anonymous_id: "b" },
      { visitor: false, session: true, dedupe_key: true },
    ],
    ["a session named like the visitor", {}, { session_id: "a1" }, { visitor: true, session: false, dedupe_key: true }],
    ["a user id beside the anonymous one", {}, { user_id: "u" }, { visitor: true, session: true, dedupe_key: true }],
    [
      "a user id in its place",
      {},
      { anonymous_id: "", user_id: "a1" },
      { visitor: true, session: true, dedupe_key: true },
    ],
    [
      "an address in its place",
      {},
      { anonymous_id: "", address: "a1" },
      { visitor: true, session: true, dedupe_key: true },
    ],
  ];
  for (const [what, one, other, same] of cases)
    test(what, () => {
      const [first, second] = [hashesOf(one), hashesOf(other)];
      const found = Object.fromEntries(
        (Object.keys(same) as Name[]).map((name) => [name, first[name] === second[name]]),
      );
      assert.deepEqual(found, same);
    });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { blankRow, type EventRow } from "../enrich/row.ts";
import { createRowWriter, decodeRow, EVENT_COLUMNS } from "./row-binary.ts";
import { toStoredRow } from "./stored-row.ts";

const SEED = Number(process.env.FC_SEED ?? Date.now() % 1_000_000);

describe("RowBinary", () => {
  test("every row comes back as it was, whatever its texts hold", (t) => {
    t.diagnostic(`FC_SEED=${SEED}`);
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
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (changes) => {
        const blank = {
          ...blankRow({ projectId: "p", receivedAtMs: 1_794_000_000_000, raw: {} }),
          day: "2026-11-15",
          has_touch: 1,
        } as EventRow;
        const rows = changes.map((change) => ({ ...blank, ...change }));
        const writer = createRowWriter();
        for (const one of rows) writer.add(one);
        const { bytes, starts } = writer.finish();
        const back = [...starts].map((start, i) => decodeRow(bytes.subarray(start, starts[i + 1] ?? bytes.length)));
        assert.deepEqual(back, rows.map(toStoredRow));
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  test("the columns are those of the row, each once", () => {
    assert.equal(new Set(EVENT_COLUMNS).size, EVENT_COLUMNS.length);
    assert.ok(EVENT_COLUMNS.includes("project_id") && EVENT_COLUMNS.includes("extra"));
  });
});

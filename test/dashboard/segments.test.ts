import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LINE_KIND } from "../../dashboard/src/charts/kinds/columns.ts";
import { SEGMENTS_KIND } from "../../dashboard/src/charts/kinds/segments.ts";
import { behavioursCondition, behaviourWords, isWhole, readBehaviours } from "../../dashboard/src/state/behaviours.ts";
import { parseFilter } from "../../dashboard/src/state/filters.ts";
import { readViewSearch } from "../../dashboard/src/state/search.ts";

const SWAPPED = { event: "Swap", operator: "gte", times: 2, preset: "last_30d" } as const;

describe("people by what they did", () => {
  test("are a condition that is read as it was written, with names in any script", () => {
    const behaviours = [
      SWAPPED,
      { ...SWAPPED, event: "交换 🦊", filters: [{ field: "chain_id", op: "eq", value: "1" }] },
    ];
    const condition = behavioursCondition(behaviours);
    assert.deepEqual([condition.field, condition.op], ["events", "eq"]);
    assert.deepEqual(readBehaviours(condition), behaviours);
    assert.equal(
      Buffer.from(String(condition.value), "base64").toString(),
      JSON.stringify(behaviours),
      "as the service reads it",
    );
    assert.equal(readBehaviours({ field: "events", op: "eq", value: "?" }), undefined);
    assert.equal(readBehaviours({ field: "device", op: "eq", value: "bW9iaWxl" }), undefined);
  });

  test("are said in words", () => {
    assert.equal(behaviourWords(SWAPPED), "did Swap at least 2 times in the last 30 days");
    const once = { event: "transaction", operator: "eq", times: 1, preset: "all_time" } as const;
    assert.equal(behaviourWords(once), "did Transaction exactly 1 time ever");
    const days = { date_from: "2026-01-01", date_to: "2026-01-31" };
    const custom = { ...SWAPPED, preset: "custom", ...days } as const;
    assert.equal(behaviourWords(custom), "did Swap at least 2 times from 2026-01-01 to 2026-01-31");
  });

  test("are saved only when the service would take them", () => {
    const days = { preset: "custom", date_from: "2026-01-31", date_to: "2026-01-01" } as const;
    const wrong = [{ event: " " }, { times: Number.NaN }, { times: -1 }, { times: 1.5 }, { preset: "custom" }, days];
    assert.ok(isWhole(SWAPPED));
    for (const one of wrong) assert.equal(isWhole({ ...SWAPPED, ...one } as never), false, JSON.stringify(one));
  });
});

test("the segment of a page is in its URL", () => {
  assert.deepEqual(readViewSearch({ segment: "seg_1" }), { segment: "seg_1" });
  assert.deepEqual(readViewSearch({ segment: ["a", "b"] }), {});
});

test("compared segments are within the page's filters and its segment, which must be known", async () => {
  // Imported by its path as a text: its types are those of a browser.
  const path = "../../dashboard/src/state/within-segment.ts";
  const { conditionsWithin } = (await import(path)) as {
    conditionsWithin: (filters: readonly unknown[], segment?: string, segments?: readonly object[]) => unknown;
  };
  const filters = [parseFilter("device.eq.mobile")];
  const own = { field: "device", op: "eq", value: "mobile" };
  const country = { field: "location", op: "eq", value: "DE" };
  const segments = [{ id: "seg_1", title: "There", filters: [country] }];
  assert.deepEqual(conditionsWithin(filters, undefined, undefined), [own]);
  assert.deepEqual(conditionsWithin(filters, "seg_1", segments), [own, country]);
  assert.equal(conditionsWithin(filters, "seg_gone", segments), undefined, "deleted");
  assert.equal(conditionsWithin(filters, "seg_1", undefined), undefined, "not read");
});

describe("compared segments", () => {
  const look = {
    measure: "visitors",
    segments: [
      { id: "seg_a", title: "Phones" },
      { id: "seg_b", title: "Desks" },
    ],
  } as const;
  const days = { date_from: "2026-03-01", date_to: "2026-03-02" };
  const parts = [
    { asked: { ...days, segment: "seg_a" }, rows: [{ date: "2026-03-01", visitors: 3 }] },
    { asked: { ...days, segment: "seg_b" }, rows: [{ date: "2026-03-02", visitors: 5 }] },
  ];
  const context = { look, asked: days, today: "2026-03-05", nowMs: Date.parse("2026-03-05"), firstDay: "2026-01-01" };

  test("are asked one by one", () => {
    assert.deepEqual(SEGMENTS_KIND.parts?.({ compared: "seg_a,seg_b" }), [
      { segment: "seg_a", compared: undefined },
      { segment: "seg_b", compared: undefined },
    ]);
  });

  test("are a line each, and a column each in the table; a day without visits is a zero", () => {
    assert.deepEqual(SEGMENTS_KIND.drawing(parts, context).series, [
      { name: "Phones", values: [3, 0] },
      { name: "Desks", values: [0, 5] },
    ]);
    const { columns, rows } = SEGMENTS_KIND.table(parts, context);
    assert.deepEqual(
      columns.map(({ label }) => label),
      ["Time (UTC)", "Phones", "Desks"],
    );
    assert.deepEqual(
      rows.map((row) => Object.values(row).slice(2)),
      [
        [3, 0],
        [0, 5],
      ],
    );
  });

  test("are drawn on a board as here, with a column each in the table", () => {
    const all = [
      { date: "2026-03-01", visitors: 3, segment: "Phones" },
      { date: "2026-03-02", visitors: 5, segment: "Desks" },
    ];
    const columns = { x_axis: "date", y_axis: ["visitors"], group_by: "segment", isWide: true, absent: 0 };
    const of = { ...context, look: columns };
    assert.deepEqual(LINE_KIND.drawing(all, of).series, SEGMENTS_KIND.drawing(parts, context).series);
    const table = LINE_KIND.table(all, of);
    assert.deepEqual(
      table.columns.map(({ label }) => label),
      ["date", "Phones", "Desks"],
    );
    assert.deepEqual(
      table.rows.map((row) => Object.values(row).slice(1)),
      [
        [3, 0],
        [0, 5],
      ],
    );
  });
});

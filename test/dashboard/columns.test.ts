/** Charts of any rows: what SQL answers and boards are drawn with. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COLUMN_CHART_NAMES, takenColumns, whyNot } from "../../dashboard/src/charts/column-charts.ts";
import { foldSmall, guessColumns, MOST_SERIES, readSeries, sumOf } from "../../dashboard/src/charts/columns.ts";
import {
  AREA_KIND,
  BAR_KIND,
  type ColumnsLook,
  LINE_KIND,
  NUMBER_KIND,
  PIE_KIND,
  STACKED_KIND,
  TABLE_KIND,
} from "../../dashboard/src/charts/kinds/columns.ts";
import { bandsOf } from "../../dashboard/src/charts/later/bands.ts";
import { csvText } from "../../dashboard/src/format/table.ts";

const context = (look: ColumnsLook = {}) => ({ look, asked: {}, today: "2026-11-17", nowMs: 0 });

const BY_DAY = [
  { day: "2026-11-02", type: "page", events: 5 },
  { day: "2026-11-01", type: "page", events: 3 },
  { day: "2026-11-02", type: "connect", events: 1 },
];
const GROUPED = { x_axis: "day", y_axis: ["events"], group_by: "type" };

describe("charts of any rows", () => {
  test("columns are guessed: days before names, the first numbers, and a group where places repeat", () => {
    const cases: [rows: Record<string, unknown>[], ...guess: (string | undefined)[]][] = [
      [BY_DAY, "day", "events", "type"],
      [
        [
          { day: "2026-11-02", n: 2 },
          { day: "2026-11-01", n: null },
        ],
        "day",
        "n",
        undefined,
      ],
      [
        [
          { name: "a", n: 2, m: 1 },
          { name: "b", n: 1, m: 1 },
        ],
        "name",
        "n",
        undefined,
      ],
      [[{ name: "a" }, { name: "b" }], "name", undefined, undefined],
      [
        [
          { hour: 0, n: 2 },
          { hour: 1, n: 4 },
        ],
        "hour",
        "n",
        undefined,
      ],
      // An id in digits is a name; an integer beyond 2^53 is a number.
      [[{ chain_id: "8453", wei: "9007199254740993" }], "chain_id", "wei", undefined],
      // What looks like a day but is none is a name.
      [[{ code: "2026-99-99", n: 1 }], "code", "n", undefined],
      [[], undefined, undefined, undefined],
    ];
    for (const [rows, ...guess] of cases) {
      const { x_axis, y_axis, group_by } = guessColumns(rows);
      assert.deepEqual([x_axis, y_axis?.[0], group_by], guess, JSON.stringify(rows));
    }
  });

  test("a group is a series: places in the order of time, nothing where it has no row, and equal rows added up", () => {
    const { places, series, isTimed } = readSeries(
      [...BY_DAY, { day: "2026-11-02", type: "page", events: 2 }],
      GROUPED,
    );
    assert.ok(isTimed);
    assert.equal(places.length, 2);
    assert.deepEqual(series, [
      { name: "page", values: [3, 7] },
      { name: "connect", values: [null, 1] },
    ]);
  });

  test("without groups each row is a place, and each column of numbers a series", () => {
    const rows = [
      { name: "a", n: 2, text: "1.5" },
      { name: "a", n: null, text: "x" },
    ];
    const { places, series } = readSeries(rows, { x_axis: "name", y_axis: ["n", "text"] });
    assert.deepEqual(
      places.map(({ label }) => label),
      ["a", "a"],
    );
    assert.deepEqual(series, [
      { name: "n", values: [2, null] },
      { name: "text", values: [1.5, null] },
    ]);
  });

  test("more groups than colours: the largest keep their names, and the sum of every place stays", () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      name: `g${index}`,
      values: [index, index % 3 ? 1 : null],
    }));
    const folded = foldSmall(many);
    assert.equal(folded.length, MOST_SERIES);
    assert.deepEqual([folded.at(0)?.name, folded.at(-1)?.name], ["g13", "Others"]);
    for (const place of [0, 1])
      assert.equal(
        sumOf(folded.map(({ values }) => values[place] ?? null)),
        sumOf(many.map(({ values }) => values[place] ?? null)),
      );
  });

  test("stacked: each series stands on those before it, what is less than zero hangs below, and tops are the sums", () => {
    const series = [
      { name: "a", values: [2, -1] },
      { name: "b", values: [3, null] },
      { name: "c", values: [-4, -2] },
    ];
    assert.deepEqual(bandsOf(series, true), [
      [
        [0, 2],
        [0, -1],
      ],
      [
        [2, 5],
        [0, 0],
      ],
      [
        [0, -4],
        [-1, -3],
      ],
    ]);
    assert.deepEqual(bandsOf(series, false)[1], [[0, 3], null]);
  });

  test("lines lie over each other, areas of groups and stacked bars on each other", () => {
    const drawn = (kind: typeof LINE_KIND, look: ColumnsLook) => kind.drawing(BY_DAY, context(look));
    assert.deepEqual([drawn(LINE_KIND, GROUPED).shape, drawn(LINE_KIND, GROUPED).isStacked], ["line", false]);
    assert.deepEqual([drawn(AREA_KIND, GROUPED).shape, drawn(AREA_KIND, GROUPED).isStacked], ["area", true]);
    assert.equal(drawn(AREA_KIND, { x_axis: "day", y_axis: ["events"] }).isStacked, false);
    assert.deepEqual([drawn(STACKED_KIND, GROUPED).shape, drawn(STACKED_KIND, GROUPED).isStacked], ["bar", true]);
    assert.equal(drawn(LINE_KIND, GROUPED).label, "events by day and type");
  });

  test("bars: names are a list in the order of the rows, of which the rest is counted; days are bars along an axis", () => {
    const rows = Array.from({ length: 33 }, (_, index) => ({ name: `n${index}`, events: 33 - index }));
    const list = BAR_KIND.drawing(rows, context({ x_axis: "name", y_axis: ["events"] }));
    assert.ok("rows" in list);
    assert.deepEqual([list.rows.length, list.left, list.rows[0]?.name, list.rows[0]?.value], [30, 3, "n0", 33]);
    const days = BAR_KIND.drawing(BY_DAY.slice(0, 2), context({ x_axis: "day", y_axis: ["events"] }));
    assert.ok("series" in days);
    assert.deepEqual(days.series[0]?.values, [3, 5]);
  });

  test("more columns than colours: the drawing counts those that it leaves out, and the table has them", () => {
    const names = Array.from({ length: MOST_SERIES + 2 }, (_, index) => `n${index}`);
    const rows = BY_DAY.slice(0, 2).map((row) => ({ ...row, ...Object.fromEntries(names.map((name) => [name, 1])) }));
    const look = context({ x_axis: "day", y_axis: names });
    for (const kind of [LINE_KIND, AREA_KIND, BAR_KIND]) {
      const drawing = kind.drawing(rows, look);
      assert.ok("series" in drawing);
      assert.deepEqual([drawing.series.length, drawing.left], [MOST_SERIES, 2]);
      assert.equal(kind.table(rows, look).columns.length, names.length + 1);
    }
    assert.equal(LINE_KIND.drawing(BY_DAY, context({ ...GROUPED, y_axis: ["events"] })).left, 0);
  });

  test("bars: a name without a number has none, which is not 0", () => {
    const rows = [
      { name: "a", share: 0 },
      { name: "b", share: null },
    ];
    const list = BAR_KIND.drawing(rows, context({ x_axis: "name", y_axis: ["share"] }));
    assert.ok("rows" in list);
    assert.deepEqual(
      list.rows.map(({ value }) => value),
      [0, null],
    );
  });

  test("a part that came as Others is one with those that are folded, however large it is", () => {
    const names = ["Others", ...Array.from({ length: MOST_SERIES }, (_, index) => `n${index}`)];
    const rows = names.map((type, index) => ({ day: "2026-11-01", type, n: 100 - index }));
    const folded = foldSmall(rows.map(({ type, n }) => ({ name: type, values: [n] })));
    const { slices } = PIE_KIND.drawing(rows, context({ x_axis: "type", y_axis: ["n"] }));
    const expected = [...names.slice(1, MOST_SERIES), "Others"];
    assert.deepEqual(
      folded.map(({ name }) => name),
      expected,
    );
    assert.deepEqual(
      slices.map(({ name }) => name),
      expected,
    );
    assert.deepEqual([folded.at(-1)?.values, slices.at(-1)?.value], [[100 + 100 - MOST_SERIES], 200 - MOST_SERIES]);
  });

  test("pie: parts of one name are one, the largest first, the smallest together, and nothing is lost", () => {
    const rows = [
      ...Array.from({ length: 12 }, (_, index) => ({ name: `n${index}`, n: index + 1 })),
      { name: "n0", n: 50 },
    ];
    const { slices } = PIE_KIND.drawing(rows, context({ x_axis: "name", y_axis: ["n"] }));
    assert.deepEqual(
      [slices.length, slices[0], slices.at(-1)?.name],
      [MOST_SERIES, { name: "n0", value: 51 }, "Others"],
    );
    assert.equal(sumOf(slices.map(({ value }) => value)), sumOf(rows.map(({ n }) => n)));
    const negative = PIE_KIND.drawing([{ name: "a", n: -4 }], context({ x_axis: "name", y_axis: ["n"] }));
    assert.equal(negative.slices[0]?.value, 0);
  });

  test("number: the one cell, and one beyond 2^53 as it is", () => {
    assert.deepEqual(NUMBER_KIND.drawing([{ n: 5 }], context()), { name: "n", value: 5, format: "number" });
    assert.equal(NUMBER_KIND.drawing([{ n: "9007199254740993" }], context()).value, "9007199254740993");
    assert.equal(NUMBER_KIND.drawing([{ n: null }], context()).value, null);
  });

  test("table: all columns of all rows; other charts have the columns that they draw", () => {
    const rows = [{ a: 1 }, { a: 2, b: "x" }];
    assert.equal(csvText(TABLE_KIND.table(rows, context())), "a,b\r\n1,\r\n2,x\r\n");
    const first = csvText(STACKED_KIND.table(BY_DAY, context(GROUPED)))
      .split("\r\n")
      .slice(0, 2);
    assert.deepEqual(first, ["day,type,events", "2026-11-02,page,5"]);
  });

  test("a chart takes only the columns that it draws, and says why rows cannot be drawn so", () => {
    const chosen = { x_axis: "day", y_axis: ["events", "other"], group_by: "type" };
    assert.deepEqual(takenColumns("pie", chosen), { x_axis: "day", y_axis: ["events"], group_by: undefined });
    assert.deepEqual(takenColumns("line", { ...chosen, group_by: undefined }).y_axis, ["events", "other"]);
    assert.deepEqual(takenColumns("line", chosen).y_axis, ["events"]);
    assert.deepEqual(takenColumns("table", chosen), {});
    const itself = takenColumns("line", { ...chosen, x_axis: "type" });
    assert.deepEqual(
      itself,
      { x_axis: "type", y_axis: ["events", "other"], group_by: undefined },
      "no group is a place",
    );
    for (const type of COLUMN_CHART_NAMES) {
      const taken = takenColumns(type, { ...chosen, y_axis: ["events"] });
      assert.equal(whyNot(type, BY_DAY, taken) === undefined, type !== "number", type);
    }
    assert.equal(whyNot("number", [{ n: 1 }], {}), undefined);
    assert.match(whyNot("stacked", BY_DAY, { x_axis: "day", y_axis: ["events"] }) ?? "", /group by/);
    assert.match(whyNot("line", BY_DAY, { x_axis: "day", y_axis: [] }) ?? "", /numbers/);
    assert.match(whyNot("bar", BY_DAY, { x_axis: "gone", y_axis: ["events"] }) ?? "", /places/);
  });
});

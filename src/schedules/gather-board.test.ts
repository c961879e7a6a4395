import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChartAnswer } from "../boards/answer.ts";
import type { Chart } from "../boards/chart.ts";
import { gatherBoard } from "./gather-board.ts";
import { importedText } from "./texts.ts";

const DAYS = { from: "2026-11-09", to: "2026-11-15" };

const chart = (id: string, asked: Partial<Chart>): Chart => ({
  ...{ id, projectId: "p", boardId: "b", position: 0, createdAtMs: 0, updatedAtMs: null },
  ...{ chart_type: "number", title: id, description: null, query: null, report: null, params: null },
  ...{ x_axis: null, y_axis: ["conversion"], group_by: null, steps: null, settings: null },
  ...asked,
});

test("a share of a report is a percentage, and a number of a statement is shown as it is", async () => {
  const charts = [chart("Of a report", { report: "breakdown" }), chart("Of a statement", { query: "SELECT 1" })];
  const answer = (value: number): ChartAnswer =>
    ({
      columns: [{ name: "conversion", type: "Float64" }],
      text: JSON.stringify({ data: [{ conversion: value }] }),
    }) as unknown as ChartAnswer;
  const answers = new Map([
    ["Of a report", answer(0.125)],
    ["Of a statement", answer(12.5)],
  ]);
  const { parts, imported } = await gatherBoard(async () => ({ answers, failed: [] }), charts, DAYS, DAYS);
  assert.equal(imported, null);
  const [part] = parts;
  assert.ok(part?.kind === "figures");
  assert.deepEqual(
    part.figures.map(({ label, format, value }) => [label, format, value]),
    [
      ["Of a report", "percent", 0.125],
      ["Of a statement", "count", 12.5],
    ],
  );
});

test("days that another product counted are said as far as a chart has them", async () => {
  const names = ["One", "Two", "Without"];
  const charts = names.map((name) => chart(name, { report: "kpis", y_axis: ["visitors"] }));
  const answer = (from: string, to: string, included: boolean): ChartAnswer =>
    ({
      columns: [{ name: "visitors", type: "UInt64" }],
      text: JSON.stringify({ data: [{ visitors: 5 }], imported: { from, to, source: "plausible", included } }),
    }) as unknown as ChartAnswer;
  const answers = new Map([
    ["One", answer("2026-11-10", "2026-11-12", true)],
    ["Two", answer("2026-11-11", "2026-11-13", true)],
    ["Without", answer("2026-11-09", "2026-11-15", false)],
  ]);
  const { imported } = await gatherBoard(async () => ({ answers, failed: [] }), charts, DAYS, DAYS);
  assert.deepEqual(imported, { from: "2026-11-10", to: "2026-11-13", source: "plausible" });
  assert.equal(importedText({ imported }), "November 10 – November 13, 2026 are days that Plausible counted.");
  const one = { ...imported, from: "2026-11-13" };
  assert.equal(importedText({ imported: one }), "November 13, 2026 is a day that Plausible counted.");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { REPORT_CHOICE_NAMES, REPORT_CHOICES, usualParams } from "../../dashboard/src/pages/boards/report-choices.ts";
import { readStep, type Step, stepParameter } from "../../dashboard/src/state/steps.ts";
import { REPORT_CATALOGUE } from "../../src/contract/reports.ts";

// Imported by their paths as texts: the types of a browser, which their neighbours need, are not those of this process.
const SOURCES = "../../dashboard/src";

interface Titled {
  id: string;
  title: string;
}
interface Place {
  width: number;
  height: number;
}
type Charts = readonly Titled[];

const { movedText, movedTo, resized, sizedText, stepOfKey } = (await import(`${SOURCES}/pages/boards/arrange.ts`)) as {
  movedText: (charts: Charts, id: string) => string;
  movedTo: (charts: Charts, id: string, to: number) => Charts;
  resized: (place: Place, side: keyof Place, by: 1 | -1) => Place | undefined;
  sizedText: (title: string, place: Place, side: keyof Place) => string;
  stepOfKey: (event: object) => object | undefined;
};

interface Draft {
  chart_type: string;
  report?: string;
  params?: object;
  x_axis?: string;
  y_axis?: string[];
  steps?: object[];
  settings?: { drawn?: object; conversionWindow?: object; funnelType?: string };
}

const { boardDraft } = (await import(`${SOURCES}/panels/board-draft.ts`)) as {
  boardDraft: (spec: object, request: object) => Draft;
};

const CHARTS: Charts = ["a", "b", "c"].map((id) => ({ id, title: `Chart ${id}` }));
const order = (charts: Charts) => charts.map(({ id }) => id).join("");

test("a chart moves to a place of the board, and never beyond its ends", () => {
  assert.equal(order(movedTo(CHARTS, "a", 2)), "bca");
  assert.equal(order(movedTo(CHARTS, "c", 0)), "cab");
  assert.equal(order(movedTo(CHARTS, "b", 9)), "acb");
  assert.equal(movedTo(CHARTS, "a", -1), CHARTS);
  assert.equal(movedTo(CHARTS, "nobody", 1), CHARTS);
  assert.equal(movedText(movedTo(CHARTS, "a", 2), "a"), "Chart a moved to place 3 of 3");
});

test("a chart has one to four columns and three heights", () => {
  assert.deepEqual(resized({ width: 3, height: 1 }, "width", 1), { width: 4, height: 1 });
  assert.equal(resized({ width: 4, height: 1 }, "width", 1), undefined);
  assert.equal(resized({ width: 4, height: 1 }, "height", -1), undefined);
  assert.equal(sizedText("Visitors", { width: 1, height: 3 }, "width"), "Visitors is 1 column wide of 4");
  assert.equal(sizedText("Visitors", { width: 1, height: 3 }, "height"), "Visitors is high");
});

test("Alt with an arrow moves, with Shift it changes the size, and other keys do neither", () => {
  const none = { altKey: false, shiftKey: false, ctrlKey: false, metaKey: false };
  const press = (key: string, held: Partial<typeof none>) => stepOfKey({ ...none, key, ...held });
  assert.deepEqual(press("ArrowRight", { altKey: true }), { kind: "move", by: 1 });
  assert.deepEqual(press("ArrowUp", { altKey: true }), { kind: "move", by: -1 });
  assert.deepEqual(press("ArrowLeft", { altKey: true, shiftKey: true }), { kind: "size", side: "width", by: -1 });
  assert.deepEqual(press("ArrowDown", { altKey: true, shiftKey: true }), { kind: "size", side: "height", by: 1 });
  assert.equal(press("ArrowRight", {}), undefined);
  assert.equal(press("ArrowRight", { altKey: true, ctrlKey: true }), undefined);
  assert.equal(press("x", { altKey: true }), undefined);
});

test("the editor offers parameters that the reports have", () => {
  for (const name of REPORT_CHOICE_NAMES) {
    const { properties } = REPORT_CATALOGUE[name].query as unknown as {
      properties: Record<string, { enum?: string[] }>;
    };
    for (const { name: param, values = [], usual } of REPORT_CHOICES[name]?.params ?? []) {
      assert.ok(param in properties, `${name} has no ${param}`);
      const known = properties[param]?.enum;
      if (known !== undefined)
        for (const value of values) assert.ok(known.includes(value), `${name}: ${param}=${value}`);
      assert.equal(usualParams(name)[param], usual);
    }
  }
});

test("a chart of a page is kept without its days, with its filters as a list, and drawn as there", () => {
  const filters = [{ field: "device", op: "eq", value: "mobile" }];
  const query = {
    project_id: "prj_1",
    date_from: "2026-11-01",
    date_to: "2026-11-17",
    bots: undefined,
    filters: JSON.stringify(filters),
    metric_column: "channel",
    limit: 10,
  };
  const look = {
    column: "channel",
    name: "Channels",
    measure: "visitors",
    label: "Visitors",
    format: "count",
  } as const;
  const kept = boardDraft({ type: "ranked", title: "Channels", look }, { path: "/v0/top_sources", query });
  assert.deepEqual(kept.params, { filters, metric_column: "channel", limit: 10 });
  assert.deepEqual(
    [kept.chart_type, kept.report, kept.x_axis, kept.y_axis],
    ["bar", "top_sources", "channel", ["visitors"]],
  );
  assert.deepEqual(kept.settings?.drawn, { type: "ranked", look });
  const steps = [{ type: "event", event: "page" }, { type: "transaction" }];
  const funnel = boardDraft(
    { type: "funnel", title: "Funnel", look: {} },
    { path: "/v0/funnel", query: { steps: JSON.stringify(steps), window_seconds: 7200, funnel_type: "open" } },
  );
  assert.deepEqual(funnel.steps, steps);
  assert.deepEqual(funnel.settings?.conversionWindow, { value: 2, unit: "hour" });
  assert.deepEqual([funnel.chart_type, funnel.settings?.funnelType, funnel.report], ["funnel", "open", undefined]);
});

test("a step is read again as it was written", () => {
  const steps: Step[] = [
    { kind: "page", value: "" },
    { kind: "page", value: "/swap" },
    { kind: "track", value: "Swap Completed", where: [{ field: "pair", op: "in", value: "A|B" }] },
    { kind: "transaction", value: "" },
    { kind: "connect", value: "" },
  ];
  for (const step of steps) assert.deepEqual(readStep({ ...stepParameter(step) }), step);
  assert.equal(readStep({ type: "event", event: "nothing" }), undefined);
});

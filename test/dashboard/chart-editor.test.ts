/** The chart editor's drafts, without a browser. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RequestFailed } from "../../dashboard/src/api/failure.ts";
import { isElsewhere } from "../../dashboard/src/pages/boards/field-failures.ts";

interface Draft {
  chart_type: string;
  title: string;
  query?: string | null;
  report?: string | null;
  params?: object | null;
  x_axis?: string | null;
  y_axis?: readonly string[] | null;
  group_by?: string | null;
  steps?: readonly object[] | null;
  settings?: Record<string, unknown> | null;
}
type Rows = readonly Record<string, unknown>[];

// Imported by its path as a text: the types of a browser, which its neighbours need, are not those of this process.
const DRAFTS = "../../dashboard/src/pages/boards/drafts.ts";
const { FIRST_DRAFT, previewOf, shownFields, withAxes, withChanges, withType } = (await import(DRAFTS)) as {
  FIRST_DRAFT: Draft;
  previewOf: (draft: Draft, rows: Rows, height: number) => { spec: { type: string; look: object }; rows: Rows };
  shownFields: (draft: Draft) => readonly string[];
  withAxes: (draft: Draft, rows: Rows) => Draft;
  withChanges: (draft: Draft, changes: Partial<Draft>) => Draft;
  withType: (draft: Draft, type: string, left?: readonly Draft[]) => Draft;
};

/** Chooses types one after the other, as the radios do by their arrow keys. */
function chooseTypes(draft: Draft, ...types: readonly string[]): Draft {
  const left: Draft[] = [];
  return types.reduce((now, type) => {
    left.push(now);
    return withType(now, type, left);
  }, draft);
}

describe("another type of chart", () => {
  const sql: Draft = {
    chart_type: "line",
    title: "Mine",
    query: "SELECT 1 AS n",
    x_axis: "day",
    y_axis: ["n"],
    settings: { layout: { width: 2, height: 2 } },
  };

  test("keeps the question of whoever comes back, SQL and steps", () => {
    const back = chooseTypes(sql, "funnel", "bar");
    assert.deepEqual([back.chart_type, back.query, back.report ?? null, back.x_axis], ["bar", sql.query, null, "day"]);
    assert.deepEqual(chooseTypes(sql, "funnel", "user_paths", "retention", "line"), { ...sql, description: null });
    const steps = [
      { type: "event", event: "page" },
      { type: "track", event: "Swap" },
    ];
    const funnel: Draft = { chart_type: "funnel", title: "Steps", steps, settings: { breakdown: "device" } };
    const again = chooseTypes(funnel, "retention", "bar", "funnel");
    assert.deepEqual([again.steps, again.settings?.breakdown], [steps, "device"]);
  });

  test("keeps the drawing of a chart that came from a page, unless its question is another one", () => {
    const drawn = { type: "ranked", look: { column: "channel" } };
    const kept: Draft = { ...FIRST_DRAFT, title: "Kept", settings: { drawn } };
    assert.deepEqual(chooseTypes(kept, "pie", "bar").settings?.drawn, drawn);
    assert.equal(chooseTypes(kept, "pie").settings?.drawn, undefined);
    const changed = withChanges(withType(kept, "pie", [kept]), { report: "top_chains" });
    assert.equal(withType(changed, "bar", [kept, changed]).settings?.drawn, undefined);
    const flow: Draft = { chart_type: "table", title: "Paths", report: "flow", params: {}, settings: { drawn } };
    assert.equal(chooseTypes(flow, "bar", "table").report, "flow");
  });
});

describe("a change of the form", () => {
  const drawn = { type: "ranked", look: {} };
  const params = { metric_column: "channel", limit: 10, filters: [{ field: "device", op: "eq", value: "mobile" }] };
  const draft: Draft = { chart_type: "bar", title: "t", report: "top_sources", params, settings: { drawn } };
  const drawnAfter = (changes: Partial<Draft>) => withChanges(draft, changes).settings?.drawn;

  test("of words, filters or the number of rows keeps the drawing of the page that a chart came from", () => {
    const { filters: _, ...others } = params;
    const kept: Partial<Draft>[] = [
      { title: "Other" },
      { params: others },
      { params: { ...params, limit: 5 } },
      { settings: { drawn, layout: { width: 4 } } },
    ];
    for (const changes of kept) assert.deepEqual(drawnAfter(changes), drawn, JSON.stringify(changes));
  });

  test("of the question or of the columns draws it by its columns", () => {
    const others: Partial<Draft>[] = [
      { params: { ...params, metric_column: "device" } },
      { report: "top_chains" },
      { y_axis: ["sessions"] },
      { settings: { segments: ["seg_1"] } },
    ];
    for (const changes of others) assert.equal(drawnAfter(changes), undefined, JSON.stringify(changes));
  });
});

describe("the axes of a draft", () => {
  test("are left to the service where nobody chose them and no rows say them", () => {
    const { x_axis, y_axis, group_by } = withAxes(FIRST_DRAFT, []);
    assert.deepEqual([x_axis, y_axis, group_by], [null, null, null]);
    const chosen = withAxes({ ...FIRST_DRAFT, x_axis: "channel", y_axis: ["sessions"] }, []);
    assert.deepEqual([chosen.x_axis, chosen.y_axis], ["channel", ["sessions"]]);
  });

  test("are those of the rows, and of compared segments one number by segment", () => {
    const rows = [{ project_id: "p", channel: "Direct", hits: 3, visitors: 2 }];
    const plain = withAxes(FIRST_DRAFT, rows);
    assert.deepEqual([plain.x_axis, plain.y_axis, plain.group_by], ["channel", ["visitors"], null]);
    const compared = withAxes({ ...FIRST_DRAFT, settings: { segments: ["seg_1"] } }, [{ ...rows[0], segment: "A" }]);
    assert.deepEqual([compared.x_axis, compared.group_by, compared.y_axis?.length], ["channel", "segment", 1]);
    const gone = withAxes({ ...FIRST_DRAFT, x_axis: "device", y_axis: ["gone"] }, rows);
    assert.deepEqual([gone.x_axis, gone.y_axis], ["channel", ["visitors"]]);
  });
});

describe("the preview", () => {
  test("of a funnel that compares segments has a group for each", () => {
    const steps = [
      { type: "event", event: "page" },
      { type: "event", event: "connect" },
    ];
    const draft: Draft = { chart_type: "funnel", title: "t", steps, settings: { segments: ["seg_1", "seg_2"] } };
    const rows = ["Phones", "Desks"].flatMap((segment) => [1, 2].map((level) => ({ level, users: 3, segment })));
    const shown = previewOf(draft, rows, 320);
    assert.equal(shown.spec.type, "funnel_groups");
    assert.deepEqual(new Set(shown.rows.map(({ breakdown }) => breakdown)), new Set(["Phones", "Desks"]));
  });

  test("shows countries by their names, and no project", () => {
    const draft: Draft = { chart_type: "pie", title: "t", report: "top_locations", params: {} };
    const shown = previewOf(draft, [{ project_id: "p", location: "DE", visitors: 2 }], 320);
    assert.deepEqual(shown.rows, [{ location: "Germany", visitors: 2 }]);
  });
});

describe("what the service refuses", () => {
  const refused = (param: string) => new RequestFailed(400, "BAD_REQUEST", "No", { param });
  const invalid = (...paths: string[]) =>
    new RequestFailed(400, "INVALID_VALIDATION_REQUEST", "No", {
      details: Object.fromEntries(paths.map((path) => [path, "is wrong"])),
    });
  const table: Draft = { chart_type: "table", title: "t", query: "SELECT 1" };

  test("is said below the form where no field that is shown is meant", () => {
    const drawn = { ...FIRST_DRAFT, settings: { drawn: { type: "ranked" } } };
    const number: Draft = { chart_type: "number", title: "t", query: "SELECT 1" };
    const cases: [draft: Draft, failure: unknown, isBelow: boolean][] = [
      [FIRST_DRAFT, refused("body.y_axis"), false],
      [drawn, refused("body.y_axis"), true],
      [table, refused("body.x_axis"), true],
      [number, refused("body.y_axis.0"), true],
      [number, refused("body.query"), false],
      [table, refused("body.settings"), true],
      [FIRST_DRAFT, refused("body.settings.segments.0"), false],
      [table, refused("body.settings.segments.0"), true],
      [{ chart_type: "retention", title: "t" }, refused("body.settings.entryFilter"), false],
      [{ chart_type: "funnel", title: "t", steps: [] }, refused("body.steps.1"), false],
      [table, invalid("body.query", "body.settings.layout.width"), true],
      [table, invalid("body.query"), false],
      [table, new Error("Nothing answers"), true],
    ];
    for (const [draft, failure, isBelow] of cases)
      assert.equal(isElsewhere(failure, shownFields(draft)), isBelow, JSON.stringify([draft, failure]));
    assert.equal(isElsewhere(null, shownFields(table)), false);
  });
});

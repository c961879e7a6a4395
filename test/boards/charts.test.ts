import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHART_LIMITS } from "../../src/contract/charts.ts";
import { createRandom } from "../../src/demo/random.ts";
import { SEED, sampled } from "../../src/lib/testing.ts";
import { dayOf } from "../../src/lib/time.ts";
import { type BoardApi, startBoardApi } from "../support/board-api.ts";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { addPerson } from "../support/people.ts";
import { readAttacks } from "../support/sql-attacks.ts";
import { waitFor } from "../support/wait.ts";
import { generateCharts, STEP, SWAP } from "./generate-charts.ts";

interface Results {
  meta: { name: string; type: string }[];
  data: Record<string, unknown>[];
  rows: number;
}

interface Chart {
  id: string;
  x_axis: string | null;
  y_axis: string[] | null;
  group_by: string | null;
  results?: Results;
}

interface List {
  data: Chart[];
  total: number;
  board?: { id: string };
  warnings?: { failedCharts: number; errors: { chartId: string; error: string }[] };
}

const DAY_MS = 86_400_000;
const [FROM, TO] = [dayOf(Date.now() - 13 * DAY_MS), dayOf(Date.now())];
const BY_DAY =
  "SELECT toDate(timestamp) AS day, type, count() AS n, sum(revenue) AS revenue FROM events " +
  "WHERE toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= '{{date_to}}' GROUP BY day, type ORDER BY day, type";

/** What each type takes. */
const TAKEN: Record<string, object>[] = [
  { table: { query: "SELECT 1 AS a, 2 AS b" } },
  { number: { query: "SELECT count() AS n FROM events" } },
  { number: { report: "kpis", params: { interval: "all" }, y_axis: ["visitors"] } },
  { bar: { query: BY_DAY, x_axis: "day", y_axis: ["n", "revenue"] } },
  { line: { query: BY_DAY, x_axis: "day", y_axis: ["n"], group_by: "type" } },
  { area: { query: BY_DAY, x_axis: "day", y_axis: ["n", "revenue"] } },
  { area: { query: BY_DAY, x_axis: "day", y_axis: ["n"], group_by: "type" } },
  { pie: { query: BY_DAY, y_axis: ["n"] } },
  { stacked: { query: BY_DAY, x_axis: "day", y_axis: ["n"], group_by: "type" } },
  { stacked: { report: "kpis", params: { group_by: "device" } } },
  { funnel: { query: "SELECT 1", steps: [STEP, SWAP] } },
  {
    funnel: { steps: [STEP, { ...SWAP, rdns: { op: "eq", value: "io.metamask" } }], settings: { breakdown: "device" } },
  },
  { user_paths: { settings: { anchors: [STEP, SWAP], maxSteps: 4, nodesPerStep: 99 } } },
  { user_paths: { settings: { startStep: STEP } } },
  { retention: { settings: { entryFilter: null } } },
  { retention: {} },
  { retention: { settings: { entryFilter: SWAP, retentionFilter: SWAP } } },
  { retention: { settings: { entryFilter: SWAP, retentionFilter: null } } },
  { retention: { settings: { entryFilter: STEP, retentionFilter: SWAP } } },
  { retention: { settings: { retentionUserFilters: [{ operand: "device", operator: "eq", value: "mobile" }] } } },
  {
    bar: { report: "top_sources", params: { metric_column: "channel" }, settings: { layout: { width: 2, height: 1 } } },
  },
  { table: { report: "breakdown", params: { filters: [{ field: "device", op: "eq", value: "desktop" }] } } },
  {
    table: { query: null, report: "top_events", params: null, x_axis: null, y_axis: null, steps: null, settings: null },
  },
];

/** What each type refuses: the field, and the words. */
const REFUSED: [type: string, chart: object, param: string, message: RegExp][] = [
  ["table", {}, "body.query", /must have a query/],
  ["table", { query: "" }, "body.query", /must have a query/],
  ["table", { query: "SELECT nothing FROM events" }, "body.query", /There is no column nothing/],
  ["table", { query: "DROP TABLE events" }, "body.query", /SELECT/],
  ["table", { query: "SELECT 1", report: "kpis" }, "body.report", /not both/],
  ["table", { query: "SELECT 1", params: {} }, "body.params", /of a report/],
  ["table", { query: "SELECT 1", steps: [STEP, STEP] }, "body.steps", /has no steps/],
  ["table", { query: "SELECT '{{date_from}} 00:00'" }, "body.query", /stands alone/],
  ["table", { query: "SELECT 1 WHERE {{filters}}" }, "body.query", /no placeholder/],
  ["number", { query: "SELECT 1 AS a, 2 AS b" }, "body.query", /exactly 1 column/],
  ["number", { query: "SELECT arrayJoin([1, 2]) AS a" }, "body.query", /exactly 1 row/],
  ["number", { query: "SELECT 1 AS a WHERE 1 = 2" }, "body.query", /exactly 1 row/],
  [
    "number",
    { report: "kpis", params: { interval: "all" }, y_axis: ["visitors", "sessions"] },
    "body.y_axis",
    /exactly 1/,
  ],
  ["number", { report: "kpis", y_axis: ["visitors"] }, "body.params", /exactly 1 row/],
  ["bar", { query: BY_DAY, y_axis: ["n"] }, "body.x_axis", /must have an x_axis/],
  ["bar", { query: BY_DAY, x_axis: "day" }, "body.y_axis", /at least 1 y_axis/],
  [
    "bar",
    { query: BY_DAY, x_axis: "days", y_axis: ["n"] },
    "body.x_axis",
    /There is no column days: the answer has day/,
  ],
  ["line", { query: BY_DAY, x_axis: "day", y_axis: ["n", "m"] }, "body.y_axis.1", /There is no column m/],
  [
    "line",
    { query: BY_DAY, x_axis: "day", y_axis: ["n"], group_by: "kind" },
    "body.group_by",
    /There is no column kind/,
  ],
  ["area", { query: BY_DAY, x_axis: "day", y_axis: ["n", "revenue"], group_by: "type" }, "body.y_axis", /exactly 1/],
  ["pie", { query: BY_DAY, y_axis: ["n", "revenue"] }, "body.y_axis", /exactly 1/],
  ["stacked", { query: BY_DAY, x_axis: "day", y_axis: ["n"] }, "body.group_by", /must have a group_by/],
  ["stacked", { query: BY_DAY, x_axis: "day", y_axis: ["n", "revenue"], group_by: "type" }, "body.y_axis", /exactly 1/],
  ["funnel", { query: "SELECT 1" }, "body.steps", /Funnel chart must have at least 2 steps/],
  ["funnel", { steps: [STEP] }, "body.steps", /Funnel chart must have at least 2 steps/],
  ["funnel", { steps: [STEP, SWAP], report: "funnel" }, "body.report", /report of its own/],
  ["user_paths", {}, "body.settings.anchors", /at least 1 anchor/],
  ["user_paths", { settings: { anchors: [] } }, "body.settings.anchors", /at least 1 anchor/],
  ["user_paths", { settings: { anchors: [STEP, SWAP, STEP] } }, "body.settings.anchors", /at most 2/],
  ["user_paths", { query: "SELECT 1", settings: { anchors: [STEP] } }, "body.query", /has no query/],
  ["retention", { query: "SELECT 1" }, "body.query", /has no query/],
  ["retention", { settings: { retentionSignalType: "label" } }, "body.settings", /labels/],
  ["retention", { settings: { entryFilter: { type: "track" } } }, "body.settings.entryFilter.event", /name of a track/],
  [
    "retention",
    { settings: { entryFilter: { type: "event", event: "/x" } } },
    "body.settings.entryFilter.event",
    /one of/,
  ],
  [
    "bar",
    { report: "top_sources", params: { date_from: "2026-01-01" } },
    "body.params.date_from",
    /leave date_from out/,
  ],
  ["bar", { report: "top_sources", params: { project_id: "prj_x" } }, "body.params.project_id", /leave project_id out/],
  ["bar", { report: "top_sources", x_axis: "nothing" }, "body.x_axis", /There is no column nothing/],
  [
    "bar",
    { report: "top_sources", params: { metric_colum: "channel" } },
    "body.params.metric_colum",
    /top_sources has no such parameter: it has .*metric_column/,
  ],
  ["line", { report: "kpis", params: { metric_column: "channel" } }, "body.params.metric_column", /no such parameter/],
];

/** Wrong parameters of reports: fields of the chart. */
const INVALID: [type: string, chart: object, field: string][] = [
  ["bar", { report: "top_sources", params: { limit: "many" } }, "body.params.limit"],
  [
    "bar",
    { report: "top_sources", params: { filters: [{ field: "x", op: "eq", value: 1 }] } },
    "body.params.filters.0.field",
  ],
  ["bar", { report: "revenue_by_metric" }, "body.params.metric_column"],
  ["funnel", { steps: [STEP, { type: "nothing", event: "x" }] }, "body.steps.1.type"],
  ["user_paths", { settings: { anchors: [{ type: "event", event: "nothing" }] } }, "body.settings.anchors.0.event"],
  [
    "retention",
    { settings: { retentionUserFilters: [{ field: "x", op: "eq", value: "y" }] } },
    "body.settings.retentionUserFilters.0.field",
  ],
];

describe("charts over an engine", () => {
  let boards: BoardApi;
  let path: string;
  before(async () => {
    boards = await startBoardApi();
    const { id } = await boards.get<{ id: string }>("POST", "/v0/boards", { title: "Test" });
    path = `/v0/boards/${id}/charts`;
  });
  after(() => boards.stop());

  const save = (chart: object) => boards.call("POST", path, { title: "t", ...chart });
  const saved = async (chart: object) => {
    const answer = await save(chart);
    const text = await answer.text();
    assert.equal(answer.status, 201, `${JSON.stringify(chart)}: ${text}`);
    return JSON.parse(text) as Chart;
  };
  const drop = async (id: string) => boards.get("DELETE", `${path}/${id}`);
  const run = async (id: string, query = `dateFrom=${FROM}&dateTo=${TO}`) => {
    const { result } = await boards.get<{ result: string }>("GET", `${path}/${id}/query?${query}`);
    return JSON.parse(result) as Results;
  };
  const runAny = async (id: string, query: string) =>
    (await boards.get<Chart>("GET", `${path}/${id}?include=results&${query}`)).results;

  for (const [n, one] of sampled([...TAKEN.entries()], 12)) {
    const [type = "", chart] = Object.entries(one)[0] ?? [];
    test(`${type} ${n}: is saved, shown as it is, replaced by itself and run`, async () => {
      const made = await saved({ chart_type: type, ...(chart as object) });
      const { results: _, ...shown } = await boards.get<Chart>("GET", `${path}/${made.id}`);
      assert.deepEqual(shown, made);
      const id = await boards.get<string>("PUT", `${path}/${made.id}`, shown);
      assert.equal(id, made.id);
      const again = await boards.get<Record<string, unknown>>("GET", `${path}/${made.id}`);
      assert.deepEqual({ ...again, updated_at: null }, { ...made, updated_at: null });
      const results = await runAny(made.id, `date_from=${FROM}&date_to=${TO}`);
      assert.ok(results && results.rows === results.data.length && results.meta.length > 0);
      const days = `date_from=${FROM}&date_to=${TO}`;
      const preview = await boards.get("POST", `${path}/preview?${days}`, { ...chart, chart_type: type, title: "t" });
      assert.deepEqual(preview, results, "the same before it is saved");
      const listed = await boards.get<List>("GET", `${path}?include=spec`);
      assert.deepEqual(
        listed.data.map((one) => ({ ...one, updated_at: null })),
        [{ ...made, updated_at: null }],
      );
      await drop(made.id);
    });
  }

  test("a preview needs no axes, saves nothing, and names what is wrong as a save does", async () => {
    const draft = { chart_type: "bar", title: "t", query: BY_DAY };
    const { meta } = await boards.get<Results>("POST", `${path}/preview`, draft);
    assert.deepEqual(
      meta.map(({ name }) => name),
      ["day", "type", "n", "revenue"],
    );
    assert.equal((await boards.get<List>("GET", path)).total, 0);
    const refused = await boards.call("POST", `${path}/preview`, { ...draft, query: "SELECT nothing FROM events" });
    assert.equal((await expectError(refused, "plain", 400, "BAD_REQUEST")).param, "body.query");
    const wrong = { ...draft, query: null, report: "top_sources", params: { limit: "many" } };
    const invalid = await boards.call("POST", `${path}/preview`, wrong);
    const { details } = await expectError(invalid, "plain", 400, "INVALID_VALIDATION_REQUEST");
    assert.deepEqual(Object.keys(details ?? {}), ["body.params.limit"]);
  });

  for (const [type, chart, param, message] of REFUSED)
    test(`${type}: ${JSON.stringify(chart).slice(0, 70)} is refused`, async () => {
      const failure = await expectError(await save({ chart_type: type, ...chart }), "plain", 400, "BAD_REQUEST");
      assert.equal(failure.param, param, failure.message);
      assert.match(failure.message, message);
    });

  for (const [type, chart, field] of INVALID)
    test(`${type}: ${JSON.stringify(chart).slice(0, 70)} is not valid`, async () => {
      const failure = await expectError(
        await save({ chart_type: type, ...chart }),
        "plain",
        400,
        "INVALID_VALIDATION_REQUEST",
      );
      assert.ok(field in (failure.details ?? {}), JSON.stringify(failure));
    });

  test("a change keeps the fields that it leaves out, and asks nothing for words and places", async () => {
    const chart = { title: "Kept", report: "top_sources", params: { metric_column: "channel" } };
    const settings = { layout: { width: 1, height: 1 }, drawn: { type: "ranked" } };
    const { id } = await boards.get<Chart>("POST", path, { chart_type: "bar", ...chart, settings });
    const own = `${path}/${id}`;
    type Whole = Chart & typeof chart & { settings: object; updated_at: string | null };
    const before = await boards.get<Whole>("GET", own);
    boards.asked.length = 0;
    const resized = await boards.get<Whole>("PATCH", own, { settings: { layout: { width: 4, height: 3 } } });
    assert.deepEqual(resized, {
      ...before,
      settings: { ...settings, layout: { width: 4, height: 3 } },
      updated_at: resized.updated_at,
    });
    assert.equal((await boards.get<Whole>("PATCH", own, { title: " Other " })).title, "Other");
    assert.deepEqual(boards.asked, []);
    // The same checks as of a replacement, of the whole chart.
    const refused = await boards.call("PATCH", own, { y_axis: ["nothing"] });
    assert.match((await expectError(refused, "plain", 400, "BAD_REQUEST")).message, /There is no column nothing/);
    const both = await boards.call("PATCH", own, { query: "SELECT 1" });
    assert.match((await expectError(both, "plain", 400, "BAD_REQUEST")).message, /not both/);
    const sessions = await boards.get<Whole>("PATCH", own, { y_axis: ["sessions"] });
    assert.deepEqual([sessions.title, sessions.x_axis, sessions.y_axis], ["Other", "channel", ["sessions"]]);
    assert.deepEqual(await boards.get("GET", own), sessions);
    await drop(id);
  });

  test("axes that a report's chart leaves out are those of its answer", async () => {
    const axes = async (chart: object) => {
      const { id, x_axis, y_axis, group_by } = await saved(chart);
      await drop(id);
      return [x_axis, y_axis, group_by];
    };
    assert.deepEqual(await axes({ chart_type: "line", report: "kpis" }), ["date", ["sessions"], null]);
    const params = { metric_column: "channel" };
    assert.deepEqual(await axes({ chart_type: "pie", report: "top_sources", params }), ["channel", ["hits"], null]);
    const stacked = await axes({ chart_type: "stacked", report: "kpis", params: { group_by: "device" } });
    assert.deepEqual(stacked, ["date", ["sessions"], "device"]);
    assert.deepEqual(await axes({ chart_type: "table", report: "kpis" }), [null, null, null]);
  });

  test("a run needs both dates, in either spelling, and SQL that asks for them", async () => {
    const { id } = await saved({ chart_type: "bar", query: BY_DAY, x_axis: "day", y_axis: ["n"] });
    const whole = await run(id);
    assert.deepEqual(await run(id, `date_from=${FROM}&date_to=${TO}`), whole);
    const days = new Set((await run(id, `dateFrom=${TO}&dateTo=${TO}`)).data.map(({ day }) => day));
    assert.deepEqual([...days], [TO]);
    for (const query of [
      "",
      `dateFrom=${FROM}`,
      `dateTo=${TO}`,
      `dateFrom=x&dateTo=${TO}`,
      `dateFrom=${TO}&dateTo=${FROM}`,
    ]) {
      const answer = await boards.call("GET", `${path}/${id}/query?${query}`);
      await expectError(answer, "plain", 400, "INVALID_VALIDATION_REQUEST");
    }
    const fixed = await saved({ chart_type: "table", query: "SELECT '{{date_from}}' AS a" });
    const refused = await boards.call("GET", `${path}/${fixed.id}/query?dateFrom=${FROM}&dateTo=${TO}`);
    assert.match(
      (await expectError(refused, "plain", 400, "BAD_REQUEST")).message,
      /\{\{date_from\}\} and \{\{date_to\}\}/,
    );
    assert.deepEqual((await runAny(fixed.id, `date_from=${FROM}`))?.data, [{ a: FROM }]);
    for (const one of [id, fixed.id]) await drop(one);
  });

  test("one chart that fails is a warning, and the others answer", async () => {
    const good = await saved({ chart_type: "number", query: "SELECT count() AS n FROM events" });
    const bad = await saved({ chart_type: "table", query: "SELECT 1 AS a" });
    const spec = JSON.stringify({ query: "SELECT nothing FROM events" });
    await boards.api.store.write((tx) => tx.updateTable("charts").set({ spec }).where("id", "=", bad.id).execute());
    const list = await boards.get<List>("GET", `${path}?include=results&dateFrom=${FROM}&dateTo=${TO}`);
    assert.deepEqual(
      list.data.map(({ id, results }) => [id, results?.rows]),
      [[good.id, 1]],
    );
    assert.deepEqual([list.total, path.includes(list.board?.id ?? "-")], [2, true]);
    assert.deepEqual(list.warnings?.failedCharts, 1);
    assert.deepEqual(list.warnings?.errors[0]?.chartId, bad.id);
    assert.match(list.warnings?.errors[0]?.error ?? "", /There is no column nothing/);
    const alone = await boards.call("GET", `${path}/${bad.id}?include=results`);
    await expectError(alone, "plain", 400, "BAD_REQUEST");
    for (const { id } of [good, bad]) await drop(id);
    const empty = await boards.get<List>("GET", `${path}?include=results`);
    assert.deepEqual([empty.data, empty.warnings], [[], undefined]);
  });

  test("filters and bots narrow charts of reports, as the report itself", async () => {
    const own = [{ field: "device", op: "eq", value: "desktop" }];
    const { id } = await saved({ chart_type: "bar", report: "top_sources", params: { filters: own } });
    const filters = [{ field: "location", op: "eq", value: "US" }];
    const days = `date_from=${FROM}&date_to=${TO}&bots=include`;
    const found = await run(id, `${days}&filters=${encodeURIComponent(JSON.stringify(filters))}`);
    const both = encodeURIComponent(JSON.stringify([...own, ...filters]));
    const report = await boards.get<Results>("GET", `/v0/top_sources?${days}&filters=${both}`);
    assert.deepEqual(found.data, report.data);
    assert.ok(found.rows > 0 && found.rows < (await run(id, days)).rows + 1);
    const wrong = await boards.call("GET", `${path}/${id}/query?${days}&filters=x`);
    await expectError(wrong, "plain", 400, "INVALID_VALIDATION_REQUEST");
    await drop(id);
  });

  test("a chart that says whether bots count is its report, unless the request says so", async () => {
    const days = `date_from=${FROM}&date_to=${TO}`;
    const context = {
      user_agent: "Googlebot/2.1 (+http://www.google.com/bot.html)",
      page_url: "https://a.example/bot",
    };
    await boards.store([sampleEvent("bot", { context })]);
    const ofReport = async (bots: string) =>
      (await boards.get<Results>("GET", `/v0/top_pages?${days}&bots=${bots}`)).data;
    const [all, people] = [await ofReport("include"), await ofReport("exclude")];
    assert.notDeepEqual(all, people);
    const chart = { chart_type: "table", report: "top_pages" };
    const usual = await saved(chart);
    const counting = await saved({ ...chart, params: { bots: "include" } });
    const leaving = await saved({ ...chart, params: { bots: "exclude" } });
    const expected: [query: string, rows: unknown[]][] = [
      [days, [people, all, people]],
      [`${days}&bots=include`, [all, all, all]],
      [`${days}&bots=exclude`, [people, people, people]],
    ];
    for (const [query, rows] of expected) {
      const list = await boards.get<List>("GET", `${path}?include=results&${query}`);
      assert.deepEqual(
        list.data.map(({ results }) => results?.data),
        rows,
      );
      for (const [at, { id }] of [usual, counting, leaving].entries()) {
        assert.deepEqual((await run(id, query)).data, rows[at]);
        assert.deepEqual((await runAny(id, query))?.data, rows[at]);
      }
      const draft = { ...chart, title: "t", params: { bots: "include" } };
      const preview = await boards.get<Results>("POST", `${path}/preview?${query}`, draft);
      assert.deepEqual(preview.data, rows[1]);
    }
    for (const { id } of [usual, counting, leaving]) await drop(id);
  });

  test("a page of results has at most 8 Mi characters, and names the charts that it leaves out", async () => {
    // One question for all: the answer of nearly a megabyte is made once.
    const query = `SELECT '${"x".repeat(1_000)}' AS text FROM events LIMIT 1000`;
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push((await saved({ chart_type: "table", query })).id);
    const small = await saved({ chart_type: "number", query: "SELECT count() AS n FROM events" });
    const list = await boards.get<List>("GET", `${path}?include=results`);
    assert.deepEqual(
      list.data.map(({ id }) => id),
      [...ids.slice(0, 8), small.id],
    );
    assert.ok(JSON.stringify(list).length < CHART_LIMITS.pageChars + 100_000);
    const error = "The answers of a page have at most 8388608 characters: ask this chart by itself";
    assert.deepEqual(
      list.warnings?.errors,
      ids.slice(8).map((chartId) => ({ chartId, error })),
    );
    assert.equal((await runAny(ids[9] ?? "", ""))?.rows, 1_000);
    for (const id of [...ids, small.id]) await drop(id);
  });

  test("a viewer, who may not run SQL, sees what a chart of SQL answers", async () => {
    const { id } = await saved({ chart_type: "number", query: "SELECT count() AS n FROM events" });
    const viewer = await addPerson(boards.api, boards.key.workspaceId, "viewer");
    await expectError(await viewer.send("POST", "/v0/query", { query: "SELECT 1" }), "plain", 403, "FORBIDDEN");
    assert.equal((await viewer.send("GET", `${path}/${id}?include=results`)).status, 200);
    await expectError(await viewer.send("PUT", `${path}/${id}`, {}), "plain", 403, "FORBIDDEN");
    await drop(id);
  });

  test("large integers are written as they are, and too many rows are refused", async () => {
    const { id } = await saved({
      chart_type: "table",
      query: "SELECT toUInt64(18446744073709551615) AS big, [1, 2] AS list, 'x' AS text",
    });
    const answer = await boards.call("GET", `${path}/${id}?include=results`);
    assert.match(await answer.text(), /"data":\[\{"big":18446744073709551615,"list":\[1,2\],"text":"x"\}\]/);
    await drop(id);
    const million = "SELECT a.event AS e FROM events a, events b LIMIT 20000";
    const large = await saved({ chart_type: "table", query: million });
    const failure = await expectError(
      await boards.call("GET", `${path}/${large.id}?include=results`),
      "plain",
      400,
      "BAD_REQUEST",
    );
    assert.match(failure.message, /at most 10000 rows/);
    const wide = `SELECT ${Array.from({ length: 40 }, (_, n) => `user_agent AS c${n}`).join(", ")} FROM events LIMIT 2000`;
    await boards.get("PUT", `${path}/${large.id}`, { chart_type: "table", title: "t", query: wide });
    const long = await boards.call("GET", `${path}/${large.id}?include=results`);
    assert.match((await expectError(long, "plain", 400, "BAD_REQUEST")).message, /at most 1048576 characters/);
    await boards.get("PUT", `${path}/${large.id}`, {
      chart_type: "table",
      title: "t",
      query: "SELECT event FROM events",
    });
    assert.equal((await runAny(large.id, ""))?.rows, CHART_LIMITS.defaultRows);
    await drop(large.id);
  });

  test("viewers share an answer until an event is stored", async () => {
    const charts = [
      await saved({ chart_type: "line", report: "kpis" }),
      await saved({ chart_type: "bar", report: "kpis", y_axis: ["visitors"] }),
      await saved({ chart_type: "number", query: "SELECT count() AS n FROM events WHERE event = 'Shared'" }),
    ];
    // The version of the data changes with the minute, too.
    await waitFor("a minute with some seconds left", () => Date.now() % 60_000 < 50_000, 15_000);
    // Saving asks once, too, and for other days.
    boards.asked.length = 0;
    const count = () => boards.asked.filter((name) => name === "kpis" || name === "sql").length;
    // The event may be of the day after the one on which the file began.
    const days = `dateFrom=${FROM}&dateTo=${dayOf(Date.parse(TO) + DAY_MS)}`;
    const read = () => boards.get<List>("GET", `${path}?include=results&${days}`);
    const lists = await Promise.all(Array.from({ length: 10 }, read));
    assert.equal(count(), 2, "two questions, whoever asks");
    for (const list of lists) assert.deepEqual(list, lists[0]);
    assert.deepEqual(lists[0]?.data[2]?.results?.data, [{ n: 0 }]);
    await boards.store([
      sampleEvent("shared", { type: "track", event: "Shared", original_timestamp: new Date().toISOString() }),
    ]);
    const until = performance.now() + 10_000;
    for (;;) {
      const [, , number] = (await read()).data;
      if (number?.results?.data[0]?.n === 1) break;
      assert.ok(performance.now() < until, "the new event is not seen");
    }
    assert.ok(count() >= 4 && count() <= 6, `${count()} runs`);
    for (const { id } of charts) await drop(id);
  });

  /** A chart that is there and fails is no missing chart, and none of its fields is one of the request. */
  async function cannotRun(id: string, message: RegExp): Promise<void> {
    const days = `date_from=${FROM}&date_to=${TO}`;
    for (const rest of [`/query?${days}`, `?include=results&${days}`]) {
      const answer = await boards.call("GET", `${path}/${id}${rest}`);
      const error = await expectError(answer, "plain", 400, "BAD_REQUEST");
      assert.match(error.message, message);
      assert.equal(error.param, undefined);
    }
  }

  test("a statement that fails when it is run is said of the chart, and of no field of the request", async () => {
    // Saved with other days, for which it answers.
    const sql = `SELECT toInt64(if({{date_from}} = toDate('${FROM}') AND {{date_to}} = toDate('${TO}'), 'x', '1')) AS n`;
    const { id } = await saved({ chart_type: "table", query: sql });
    await cannotRun(id, /x/);
    await drop(id);
  });

  test("a changed segment changes the answers of its charts at once, and without it they fail", async () => {
    const filters = (device: string) => [{ field: "device", op: "eq", value: device }];
    const segment = await boards.get<{ id: string }>("POST", "/v0/segments", {
      title: "s",
      filters: filters("desktop"),
    });
    const { id } = await saved({ chart_type: "bar", report: "top_sources", params: { segment: segment.id } });
    const days = `date_from=${FROM}&date_to=${TO}`;
    const ofReport = async (device: string) => {
      const query = `${days}&filters=${encodeURIComponent(JSON.stringify(filters(device)))}`;
      return (await boards.get<Results>("GET", `/v0/top_sources?${query}`)).data;
    };
    const [desktop, tablet] = [await ofReport("desktop"), await ofReport("tablet")];
    assert.notDeepEqual(desktop, tablet);
    // The version of the data changes with the minute, too.
    await waitFor("a minute with some seconds left", () => Date.now() % 60_000 < 50_000, 15_000);
    assert.deepEqual((await run(id, days)).data, desktop);
    await boards.get("PATCH", `/v0/segments/${segment.id}`, { filters: filters("tablet") });
    assert.deepEqual((await run(id, days)).data, tablet);
    await boards.get("DELETE", `/v0/segments/${segment.id}?force=true`);
    await cannotRun(id, /no such segment/);
    // The one that the request names is its own fault.
    const asked = await boards.call("GET", `${path}/${id}/query?${days}&segment=${segment.id}`);
    await expectError(asked, "plain", 404, "NOT_FOUND");
    await drop(id);
  });

  test("compared segments answer as the report of each, within what else limits the chart", async () => {
    const make = (title: string, field: string, value: string) =>
      boards.get<{ id: string }>("POST", "/v0/segments", { title, filters: [{ field, op: "eq", value }] });
    const [phones, desks, american] = [
      await make("Same", "device", "mobile"),
      await make("Same", "device", "desktop"),
      await make("Americans", "location", "US"),
    ];
    const segments = [phones.id, desks.id];
    const days = `date_from=${FROM}&date_to=${TO}`;
    const rowsOf = async (report: string, query: string, name: string) => {
      const { data } = await boards.get<Results>("GET", `/v0/${report}?${days}&${query}`);
      return data.map((row) => ({ ...row, segment: name }));
    };
    const both = async (report: string, query: string) => [
      ...(await rowsOf(report, `${query}&segment=${phones.id}`, "Same")),
      ...(await rowsOf(report, `${query}&segment=${desks.id}`, "Same (2)")),
    ];
    const within = encodeURIComponent(JSON.stringify([{ field: "location", op: "eq", value: "US" }]));
    const cases: [chart: object, axes: unknown[], report: string, query: string][] = [
      [{ chart_type: "line", report: "kpis" }, ["date", "segment"], "kpis", ""],
      [{ chart_type: "stacked", report: "kpis" }, ["date", "segment"], "kpis", ""],
      [
        { chart_type: "number", report: "kpis", params: { interval: "all" }, y_axis: ["visitors"] },
        [null, null],
        "kpis",
        "interval=all",
      ],
      [{ chart_type: "table", report: "top_sources" }, [null, null], "top_sources", ""],
      [
        { chart_type: "pie", report: "top_sources", params: { segment: american.id } },
        ["segment", null],
        "top_sources",
        `filters=${within}`,
      ],
      [
        { chart_type: "funnel", steps: [STEP, SWAP] },
        [null, null],
        "funnel",
        `window_seconds=7200&steps=${encodeURIComponent(JSON.stringify([STEP, SWAP]))}`,
      ],
    ];
    for (const [chart, axes, report, query] of cases) {
      const made = await saved({ ...chart, settings: { segments } });
      assert.deepEqual([made.x_axis, made.group_by], axes, JSON.stringify(chart));
      const expected = await both(report, query);
      assert.ok(expected.length >= 2, JSON.stringify(chart));
      assert.deepEqual((await runAny(made.id, days))?.data, expected, JSON.stringify(chart));
      await drop(made.id);
    }
    const refused: [chart: object, param: string, message: RegExp][] = [
      [{ chart_type: "table", query: "SELECT 1" }, "body.settings.segments", /SQL has its own conditions/],
      [{ chart_type: "retention" }, "body.settings.segments", /cannot compare/],
      [{ chart_type: "line", report: "kpis", group_by: "date" }, "body.group_by", /grouped by segment/],
      [
        { chart_type: "line", report: "kpis", y_axis: ["visitors", "sessions"] },
        "body.y_axis",
        /must have exactly 1 y_axis/,
      ],
      [
        { chart_type: "table", report: "kpis", settings: { segments: [phones.id, "seg_gone"] } },
        "body.settings.segments.1",
        /There is no segment seg_gone/,
      ],
    ];
    for (const [chart, param, message] of refused) {
      const answer = await save({ settings: { segments }, ...chart });
      const error = await expectError(answer, "plain", 400, "BAD_REQUEST");
      assert.equal(error.param, param, JSON.stringify(chart));
      assert.match(error.message, message);
    }
    const { id } = await saved({ chart_type: "line", report: "kpis", settings: { segments } });
    assert.equal((await boards.call("DELETE", `/v0/segments/${desks.id}`)).status, 400);
    await boards.get("DELETE", `/v0/segments/${desks.id}?force=true`);
    const gone = await boards.get<List>("GET", `${path}?include=results&${days}`);
    assert.deepEqual(gone.warnings?.errors, [{ chartId: id, error: `There is no segment ${desks.id}` }]);
    await cannotRun(id, /There is no segment/);
    await drop(id);
  });

  const attacks = readAttacks().filter(
    ({ outcome, group, sql }) => outcome === "refused" && group !== "heavy" && sql.trim() !== "",
  );
  test("hostile SQL is refused as by POST /v0/query, with the same words", async () => {
    for (const { sql, name } of sampled(attacks, 8)) {
      // A chart's question is asked without the white space around it.
      const query = sql.trim();
      const asked = await boards.call("POST", "/v0/query", { query });
      const failure = (await asked.json()) as { error?: { message: string } };
      const answer = await save({ chart_type: "table", query });
      const body = (await answer.json()) as { error?: { message: string } };
      assert.equal(answer.status, asked.status === 200 ? 201 : 400, `${name}: ${JSON.stringify(body)}`);
      // The words of a placeholder are those of charts.
      if (asked.status !== 200 && !query.includes("{{"))
        assert.equal(body.error?.message, failure.error?.message, name);
    }
  });
});

describe("the rows of a chart", () => {
  let boards: BoardApi;
  before(async () => {
    boards = await startBoardApi();
  });
  after(() => boards.stop());

  test("are those of the same question asked by POST /v0/query or its report", async () => {
    const { id: board } = await boards.get<{ id: string }>("POST", "/v0/boards", { title: "Equal" });
    const path = `/v0/boards/${board}/charts`;
    const random = createRandom(SEED + 1);
    const segments = [
      [{ field: "location", op: "eq", value: "US" }],
      [
        { field: "device", op: "eq", value: "desktop" },
        { field: "browser", op: "neq", value: "safari" },
      ],
    ];
    const ids: string[] = [];
    for (const filters of segments)
      ids.push((await boards.get<{ id: string }>("POST", "/v0/segments", { title: "s", filters })).id);
    const cases = generateCharts(210, ids);
    const drawn = [...cases.slice(0, 7), ...sampled(cases.slice(7), 8)];
    for (const { chart, sql, report, asked = {} } of drawn) {
      const first = random.int(14);
      const from = dayOf(Date.now() - first * DAY_MS);
      const to = dayOf(Date.now() - random.int(first + 1) * DAY_MS);
      const { id } = await boards.get<Chart>("POST", path, { title: "t", ...chart });
      const { result } = await boards.get<{ result: string }>(
        "GET",
        `${path}/${id}/query?dateFrom=${from}&dateTo=${to}`,
      );
      const found = JSON.parse(result) as Results;
      const ask = async (): Promise<Pick<Results, "data">> => {
        if (sql !== undefined) {
          const day = (name: string) => (name.includes("from") ? from : to);
          const query = sql
            .replaceAll(/'\{\{(.*?)\}\}'/g, (_, name: string) => `'${day(name)}'`)
            .replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => `toDate('${day(name)}')`);
          return boards.get("POST", "/v0/query", { query });
        }
        const texts = Object.entries(asked).flatMap(([name, value]): [string, string][] =>
          value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]],
        );
        const query = new URLSearchParams([...texts, ["date_from", from], ["date_to", to]]);
        return boards.get("GET", `/v0/${report}?${query.toString()}`);
      };
      assert.deepEqual(found.data, (await ask()).data, `${JSON.stringify(chart)} ${from} ${to}`);
      await boards.get("DELETE", `${path}/${id}`);
    }
  });

  test("of every template are there on the demo's data", async () => {
    const { data } = await boards.get<{ data: { id: string; title: string; charts: unknown[] }[] }>(
      "GET",
      "/v0/boards/templates",
    );
    assert.deepEqual(
      data.map(({ id }) => id),
      ["growth", "revenue", "defi", "retention"],
    );
    for (const { id, title, charts } of sampled(data, 2)) {
      const board = await boards.get<{ id: string; title: string; charts: number }>("POST", "/v0/boards", {
        template: id,
      });
      assert.deepEqual([board.title, board.charts], [title, charts.length]);
      const path = `/v0/boards/${board.id}/charts`;
      const list = await boards.get<List>("GET", `${path}?include=results&dateFrom=${FROM}&dateTo=${TO}`);
      assert.deepEqual(list.warnings, undefined);
      for (const chart of list.data) {
        assert.ok((chart.results?.rows ?? 0) > 0, JSON.stringify(chart).slice(0, 300));
        // Saved as it is: the template keeps the rules of charts.
        const again = await boards.call("PUT", `${path}/${chart.id}`, chart);
        assert.equal(again.status, 200, await again.text());
      }
    }
    const named = await boards.get<{ title: string; enabled: boolean }>("POST", "/v0/boards", {
      template: "growth",
      title: "Ours",
      isPublic: true,
    });
    assert.deepEqual([named.title, named.enabled], ["Ours", true]);
  });
});

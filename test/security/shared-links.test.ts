/**
 * A public link shows exactly the saved charts of its board, within its limits. Each attempt below tries to get more:
 * none may succeed, and no answer may hold a mark of what is not shared.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CHART_TYPES, type ChartType } from "../../src/contract/chart-types.ts";
import { createKeyText } from "../../src/control/key-text.ts";
import { newId } from "../../src/lib/ids.ts";
import { inSomeRound, ONLY_LONG } from "../../src/lib/testing.ts";
import { dayOf } from "../../src/lib/time.ts";
import { type BoardApi, startBoardApi } from "../support/board-api.ts";
import { sendRaw } from "../support/raw-http.ts";

interface Link {
  id: string;
  url: string;
}

interface Results {
  meta: { name: string; type: string }[];
  data: Record<string, unknown>[];
  rows: number;
}

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
const TODAY = dayBefore(0);
const FILTER = { field: "device", op: "eq", value: "desktop" };
/** Marks that only questions, other boards and other tenants have. */
const SECRET = "only_in_the_question";
const BY_DAY = `SELECT toDate(timestamp) AS day, count() AS n FROM events WHERE toDate(timestamp) BETWEEN {{date_from}} AND {{date_to}} AND '${SECRET}' != '' GROUP BY day ORDER BY day`;
const ALL_DAYS = `SELECT count() AS n FROM events WHERE '${SECRET}' != ''`;
const SOURCES = {
  chart_type: "bar",
  title: "Sources",
  report: "top_sources",
  params: { filters: [{ field: "location", op: "neq", value: SECRET }] },
};

/** Rows of reports name the project to members alone. Where it is not a column, its place is empty. */
function withoutProject({ meta, data, rows }: Results, project = ""): Results {
  const shown = data.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== "project_id")));
  return {
    meta: meta.filter(({ name }) => name !== "project_id"),
    data: JSON.parse(JSON.stringify(shown).replaceAll(project, "")) as Results["data"],
    rows,
  };
}

describe("a public link", () => {
  let boards: BoardApi;
  /** Of the shared board. */
  const charts = { sources: "", byDay: "", allDays: "", lifecycle: "", compared: "", funnel: "", segments: "" };
  /** One of every other type, by its type. */
  const others: Record<string, string> = {};
  const links: Record<string, string> = {};
  const ids: Record<string, string> = {};
  const secrets: string[] = [SECRET];

  const ask = (path: string, init: RequestInit = {}) => fetch(`${boards.api.apiUrl}/api/shared/${path}`, init);
  const tokenOf = ({ url }: Link) => url.split("/").at(-1) ?? "";
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  async function addChart(board: string, chart: object): Promise<string> {
    return (await boards.get<{ id: string }>("POST", `/v0/boards/${board}/charts`, chart)).id;
  }
  async function addLink(board: string, body: object): Promise<Link> {
    return boards.get<Link>("POST", `/v0/boards/${board}/links`, body);
  }
  const rowsOf = async (answer: Response): Promise<Results> => {
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return (JSON.parse(text) as { data: { results: Results } }).data.results;
  };
  const open = async (token: string, password: string) => {
    const answer = await post(`${token}/open`, { password });
    assert.equal(answer.status, 200);
    return ((await answer.json()) as { data: { token: string } }).data.token;
  };

  before(async () => {
    boards = await startBoardApi();
    const { id: board } = await boards.get<{ id: string }>("POST", "/v0/boards", { title: "Shared" });
    charts.sources = await addChart(board, SOURCES);
    charts.byDay = await addChart(board, {
      chart_type: "line",
      title: "D",
      query: BY_DAY,
      x_axis: "day",
      y_axis: ["n"],
    });
    charts.allDays = await addChart(board, { chart_type: "number", title: "All", query: ALL_DAYS });
    charts.lifecycle = await addChart(board, { chart_type: "table", title: "Life", report: "lifecycle" });
    charts.compared = await addChart(board, {
      chart_type: "table",
      title: "Compared",
      report: "breakdown",
      params: { metric_column: "referrer", include_previous_period: true, order_by: "visitors_change" },
    });
    const step = { type: "event", event: "page" };
    const settings = { conversionWindow: { value: 2, unit: "week" } };
    charts.funnel = await addChart(board, { chart_type: "funnel", title: "Funnel", steps: [step, step], settings });
    const segment = await boards.get<{ id: string }>("POST", "/v0/segments", { title: "Phones", filters: [FILTER] });
    ids.segment = segment.id;
    // Not the one that a test deletes.
    const own = { title: "Desktops", filters: [FILTER] };
    const { id: compared } = await boards.get<{ id: string }>("POST", "/v0/segments", own);
    charts.segments = await addChart(board, {
      chart_type: "line",
      title: "Segments",
      report: "kpis",
      y_axis: ["visitors"],
      settings: { segments: [compared] },
    });
    const kpis = { report: "kpis", y_axis: ["visitors"] };
    const further: { chart_type: ChartType; [field: string]: unknown }[] = [
      { chart_type: "area", ...kpis },
      { chart_type: "pie", report: "top_sources" },
      { chart_type: "stacked", report: "kpis", params: { group_by: "device" }, y_axis: ["visitors"] },
      { chart_type: "retention" },
      { chart_type: "user_paths", settings: { anchors: [step] } },
      // Under another name, and in a longer text.
      { chart_type: "table", query: `SELECT '${boards.project}' AS x, '/${boards.project}/' AS y` },
    ];
    for (const chart of further)
      others[chart.chart_type] = await addChart(board, { title: chart.chart_type, ...chart });
    const { id: otherBoard } = await boards.get<{ id: string }>("POST", "/v0/boards", { title: "Private board" });
    ids.otherChart = await addChart(otherBoard, { ...SOURCES, title: "Private chart" });
    const key = await boards.api.createKey();
    const project = await boards.api.createProject(key.workspaceId, "Secret project");
    const foreign = async (path: string, body: object) =>
      (await (await boards.call("POST", path, body, { text: key.text })).json()) as { id: string; url: string };
    const { id: foreignBoard } = await foreign("/v0/boards", { title: "Foreign board" });
    ids.foreignChart = (await foreign(`/v0/boards/${foreignBoard}/charts`, { ...SOURCES, title: "Foreign chart" })).id;
    links.foreign = tokenOf(await foreign(`/v0/boards/${foreignBoard}/links`, {}));
    const moved = await addChart(board, { ...SOURCES, title: "Moved chart" });
    await boards.get("PUT", `/v0/boards/${board}/charts/${moved}/move`, { targetBoardId: otherBoard });
    const deleted = await addChart(board, { ...SOURCES, title: "Deleted chart" });
    await boards.call("DELETE", `/v0/boards/${board}/charts/${deleted}`);
    Object.assign(ids, { board, otherBoard, foreignBoard, moved, deleted, project: boards.project, foreign: project });
    const wanted: Record<string, object> = {
      plain: {},
      filtered: { filters: [FILTER] },
      segmented: { segment: segment.id },
      days: { days: 3 },
      window: { date_from: dayBefore(6), date_to: dayBefore(4) },
      password: { password: "correct horse" },
      changed: { password: "first password" },
      expired: { expires_at: "2099-01-01T00:00:00Z" },
      revoked: {},
    };
    for (const [name, body] of Object.entries(wanted)) {
      const link = await addLink(board, body);
      [links[name], ids[`link_${name}`]] = [tokenOf(link), link.id];
    }
    await boards.call("DELETE", `/v0/boards/${board}/links/${ids.link_revoked}`);
    await boards.api.store.write((tx) =>
      tx
        .updateTable("board_links")
        .set({ expires_at: Date.now() - 1 })
        .where("id", "=", ids.link_expired ?? "")
        .execute(),
    );
    secrets.push(boards.key.workspaceId, key.workspaceId, boards.project, project, board, otherBoard, foreignBoard);
    secrets.push("Private board", "Private chart", "Foreign", "Moved chart", "Deleted chart", "SELECT", "lnk_", "seg_");
  });
  after(() => boards.stop());

  test("shows the board and its charts, with the same rows as their members see", async () => {
    const answer = await ask(links.plain ?? "");
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.equal(answer.headers.get("set-cookie"), null);
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
    const { data } = JSON.parse(text) as { data: { title: string; period: object; charts: Record<string, unknown>[] } };
    assert.equal(data.title, "Shared");
    assert.deepEqual(data.period, { date_from: dayBefore(7), date_to: TODAY, locked: false, timezone: "UTC" });
    assert.deepEqual(
      data.charts.map(({ id }) => id),
      [...Object.values(charts), ...Object.values(others)],
    );
    assert.deepEqual(new Set(data.charts.map((one) => one.chart_type)), new Set<string>(CHART_TYPES));
    assert.deepEqual(Object.keys(data.charts[0] ?? {}), [
      "id",
      "chart_type",
      "title",
      "description",
      "report",
      "params",
      "x_axis",
      "y_axis",
      "group_by",
      "steps",
      "settings",
    ]);
    const params = data.charts.flatMap((one) => Object.keys((one as { params?: object | null }).params ?? {}));
    assert.deepEqual(
      params.filter((name) => name !== "interval"),
      [],
      "a drawing needs no other parameter",
    );
    const days = `date_from=${dayBefore(10)}&date_to=${dayBefore(1)}`;
    for (const id of [...Object.values(charts), ...Object.values(others)]) {
      const own = await boards.get<{ results: Results }>(
        "GET",
        `/v0/boards/${ids.board}/charts/${id}?include=results&${days}`,
      );
      const seen = await (await ask(`${links.plain}/charts/${id}?${days}`)).text();
      for (const secret of secrets) assert.ok(!seen.includes(secret), `${secret} in ${seen.slice(0, 500)}`);
      const { results } = (JSON.parse(seen) as { data: { results: Results } }).data;
      assert.deepEqual(results, withoutProject(own.results, boards.project));
      assert.ok(results.rows > 0);
      // Titles of segments that a chart compares are part of what it shows.
      if (id === charts.segments) assert.ok(results.data.every(({ segment }) => segment === "Desktops"));
    }
  });

  test("with locked conditions shows the numbers of those conditions, and leaves SQL out", async () => {
    const days = `date_from=${dayBefore(10)}&date_to=${dayBefore(1)}`;
    const both = encodeURIComponent(JSON.stringify([...SOURCES.params.filters, FILTER]));
    const filtered = await boards.get<Results>("GET", `/v0/top_sources?${days}&filters=${both}`);
    const { data: expected } = withoutProject(filtered);
    assert.ok(expected.length > 0);
    const whole = await rowsOf(await ask(`${links.plain}/charts/${charts.sources}?${days}`));
    assert.notDeepEqual(whole.data, expected);
    for (const token of [links.filtered, links.segmented]) {
      assert.deepEqual((await rowsOf(await ask(`${token}/charts/${charts.sources}?${days}`))).data, expected);
      const listed = await (await ask(token ?? "")).text();
      for (const id of [charts.byDay, charts.allDays, others.table ?? ""]) assert.ok(!listed.includes(id));
      assert.match(listed, /"charts_left_out":3\b/);
      assert.ok(listed.includes(charts.lifecycle));
    }
  });

  test("with a locked period shows those days alone: no other SQL, no comparison, no later step", async () => {
    const listed = await (await ask(links.window ?? "")).text();
    for (const id of [charts.allDays, charts.lifecycle, others.table ?? ""]) assert.ok(!listed.includes(id));
    assert.match(listed, /"charts_left_out":3\b/);
    const [from, to] = [dayBefore(6), dayBefore(4)];
    const byDay = await rowsOf(await ask(`${links.window}/charts/${charts.byDay}`));
    assert.deepEqual(
      byDay.data.map(({ day }) => day),
      [dayBefore(6), dayBefore(5), dayBefore(4)],
    );
    const inside = await rowsOf(await ask(`${links.window}/charts/${charts.byDay}?date_from=${to}&date_to=${to}`));
    assert.equal(inside.rows, 1);
    const compared = await rowsOf(await ask(`${links.window}/charts/${charts.compared}`));
    assert.ok(compared.rows > 0 && !JSON.stringify(compared.meta).includes("_previous"), JSON.stringify(compared.meta));
    const steps = encodeURIComponent(
      JSON.stringify([
        { type: "event", event: "page" },
        { type: "event", event: "page" },
      ]),
    );
    const within = `date_from=${from}&date_to=${to}&steps=${steps}&window_seconds=1209600&within_dates=true`;
    const { data } = withoutProject(await boards.get<Results>("GET", `/v0/funnel?${within}`));
    assert.deepEqual((await rowsOf(await ask(`${links.window}/charts/${charts.funnel}`))).data, data);
  });

  /** What is tried, and how it is answered. */
  type Attempt = [what: string, status: number | readonly number[], run: () => Promise<Response>];
  const chart = (token: string | undefined, id: string | undefined, query = "", init: RequestInit = {}) =>
    ask(`${token}/charts/${id}${query}`, init);
  const raw = (method: string, path: string, headers = "") =>
    sendRaw(boards.api.apiUrl, `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`);
  const page = (token: string) => fetch(`${boards.api.apiUrl}/s/${token}`);
  const otherDays: [string, string][] = [
    [dayBefore(7), dayBefore(4)],
    [dayBefore(6), dayBefore(3)],
    [dayBefore(9), dayBefore(8)],
    [TODAY, TODAY],
    ["0001-01-01", "9999-12-31"],
    ["1970-01-01", dayBefore(5)],
  ];
  const parameters = [
    "filters=[]",
    `filters=${encodeURIComponent(JSON.stringify([{ field: "device", op: "neq", value: "desktop" }]))}`,
    "segment=seg_0000000000000000000000",
    "bots=include",
    "project_id=prj_0000000000000000000000",
    "include=results",
    "limit=1000",
    "metric_column=location",
    "query=SELECT%201",
    "days=365",
    "dateFrom=2000-01-01",
    "page_scope=session",
    "date_from=2000-01-01&date_from=2026-01-01",
    "date_from[]=2000-01-01",
    "date_from=2026-01-01%27%20OR%201=1",
    "__proto__[date_from]=2000-01-01",
    "embed=1",
    "password=correct%20horse",
  ];
  const attempts = (): Attempt[] => [
    // Other charts, boards, projects.
    ["a chart of another board of the project", 404, () => chart(links.plain, ids.otherChart)],
    ["a chart of another workspace", 404, () => chart(links.plain, ids.foreignChart)],
    ["a chart that was moved away", 404, () => chart(links.plain, ids.moved)],
    ["a chart that was deleted", 404, () => chart(links.plain, ids.deleted)],
    ["this board's chart with the link of another", 404, () => chart(links.foreign, charts.sources)],
    ["a guessed chart", 404, () => chart(links.plain, newId("cht"))],
    ["the board's id as a chart", 404, () => chart(links.plain, ids.board)],
    ["a wildcard as a chart", 404, () => chart(links.plain, "%25")],
    ["an empty chart", 404, () => chart(links.plain, "")],
    ["SQL as a chart", 404, () => chart(links.plain, encodeURIComponent("x' OR '1'='1"))],
    ["a NUL in a chart", 404, () => chart(links.plain, "cht_%00")],
    ["all charts at once", 404, () => ask(`${links.plain}/charts`)],
    ["a report", 404, () => ask(`${links.plain}/top_sources`)],
    ["SQL", 404, () => post(`${links.plain}/query`, { query: "SELECT 1" })],
    // SQL that a limit cannot be applied to.
    ["SQL with locked conditions", 404, () => chart(links.filtered, charts.byDay)],
    ["SQL of all days with locked conditions", 404, () => chart(links.filtered, charts.allDays)],
    ["SQL with a locked segment", 404, () => chart(links.segmented, charts.byDay)],
    ["SQL of all days with a locked period", 404, () => chart(links.window, charts.allDays)],
    ["a report of all days with a locked period", 404, () => chart(links.days, charts.lifecycle)],
    // More days.
    ...otherDays.map(
      ([from, to]): Attempt => [
        `the days ${from} to ${to}`,
        400,
        () => chart(links.window, charts.byDay, `?date_from=${from}&date_to=${to}`),
      ],
    ),
    ["a day before the last three", 400, () => chart(links.days, charts.byDay, `?date_from=${dayBefore(3)}`)],
    ["tomorrow", 400, () => chart(links.days, charts.byDay, `?date_to=${dayBefore(-1)}`)],
    ["an earlier last day alone", 400, () => chart(links.window, charts.byDay, `?date_to=${dayBefore(8)}`)],
    ["a day with a time", 400, () => chart(links.days, charts.byDay, "?date_from=2000-01-01T00:00:00Z")],
    // Parameters.
    ...parameters.map(
      (query): Attempt => [`the parameter ${query}`, 400, () => chart(links.filtered, charts.sources, `?${query}`)],
    ),
    ["a parameter of the board", 400, () => ask(`${links.plain}?include=results`)],
    // Links that are none.
    ["an expired link", 404, () => ask(links.expired ?? "")],
    ["a chart of an expired link", 404, () => chart(links.expired, charts.sources)],
    ["a revoked link", 404, () => ask(links.revoked ?? "")],
    ["a chart of a revoked link", 404, () => chart(links.revoked, charts.sources)],
    ["a guessed link", 404, () => ask(createKeyText("link"))],
    ["a link with a wrong letter", 404, () => ask(`${links.plain?.slice(0, -1)}!`)],
    ["a link in other letters", 404, () => ask((links.plain ?? "").toUpperCase())],
    ["a shortened link", 404, () => ask((links.plain ?? "").slice(0, -1))],
    ["a link with a blank", 404, () => ask(`${links.plain}%20`)],
    ["the link's id", 404, () => ask(ids.link_plain ?? "")],
    ["the hash of a link", 404, async () => ask(await hashOf(ids.link_plain ?? ""))],
    ["an API key as a link", 404, () => ask(boards.key.text)],
    ["an empty link", 404, () => ask("")],
    ["a long link", [400, 404, 414], () => ask("x".repeat(5_000))],
    ["a wildcard as a link", 404, () => ask("%25")],
    ["an expired link's page", 404, () => page(links.expired ?? "")],
    // Passwords.
    ["a board without its password", 401, () => ask(links.password ?? "")],
    ["a chart without the password", 401, () => chart(links.password, charts.sources)],
    ["another board's chart without the password", 401, () => chart(links.password, ids.otherChart)],
    ["a wrong password", 401, () => post(`${links.password}/open`, { password: "wrong horse" })],
    ["the password in other letters", 401, () => post(`${links.password}/open`, { password: "Correct Horse" })],
    ["a longer password", 401, () => post(`${links.password}/open`, { password: "correct horse " })],
    ["no password", 400, () => post(`${links.password}/open`, {})],
    ["null as a password", 400, () => post(`${links.password}/open`, { password: null })],
    ["a list of passwords", 400, () => post(`${links.password}/open`, { password: ["correct horse"] })],
    ["a condition as a password", 400, () => post(`${links.password}/open`, { password: { $ne: "" } })],
    ["a field more than the password", 400, () => post(`${links.password}/open`, { password: "correct horse", id: 1 })],
    ["the password in the address", 400, () => ask(`${links.password}?password=correct%20horse`)],
    [
      "the right password with an expired link",
      404,
      () => post(`${links.expired}/open`, { password: "correct horse" }),
    ],
    ["a password for a link without one", 400, () => post(`${links.plain}/open`, { password: "correct horse" })],
    ["a made-up token", 401, () => chart(links.password, charts.sources, "", bearer("v1.AAAA"))],
    ["the link itself as a token", 401, () => chart(links.password, charts.sources, "", bearer(links.password ?? ""))],
    ["an API key as a token", 401, () => chart(links.password, charts.sources, "", bearer(boards.key.text))],
    [
      "the token of another link",
      401,
      async () => chart(links.changed, charts.sources, "", bearer(await open(links.password ?? "", "correct horse"))),
    ],
    [
      "another board's chart with a right token",
      404,
      async () => chart(links.password, ids.otherChart, "", bearer(await open(links.password ?? "", "correct horse"))),
    ],
    ["a token from before the password changed", 401, changedPassword],
    // Methods and headers.
    ["HEAD without the password", 401, () => ask(links.password ?? "", { method: "HEAD" })],
    ["POST instead of GET", [404, 405], () => post(links.plain ?? "", {})],
    ["DELETE", [404, 405], () => ask(links.plain ?? "", { method: "DELETE" })],
    ["PATCH of a chart", [404, 405], () => chart(links.plain, charts.sources, "", { method: "PATCH" })],
    ["another method by a header", 401, () => ask(links.password ?? "", header("x-http-method-override", "POST"))],
    ["another path by a header", 401, () => ask(links.password ?? "", header("x-original-url", "/v0/boards"))],
    ["an API key of the workspace", 401, () => ask(links.password ?? "", header("x-api-key", boards.key.text))],
    [
      "a project by a header",
      404,
      () => chart(links.plain, ids.foreignChart, "", header("x-project-id", ids.foreign ?? "")),
    ],
    ["a cookie", 401, () => ask(links.password ?? "", header("cookie", "sextant=x; __Host-sextant=x"))],
    ["a link as an API key", 401, () => boards.call("GET", "/v0/boards", undefined, { text: links.plain ?? "" })],
    ["a link as a password of BI tools", [401, 403, 404], () => bi(links.plain ?? "")],
    // Paths.
    ["a path upwards", 404, () => raw("GET", `/api/shared/${links.plain}/charts/../../../v0/boards`)],
    ["an encoded path upwards", 404, () => raw("GET", `/api/shared/${links.plain}/charts/..%2f..%2f${ids.otherBoard}`)],
    [
      "two charts in one",
      404,
      () => raw("GET", `/api/shared/${links.plain}/charts/${charts.sources}%2f${ids.otherChart}`),
    ],
    ["two slashes", 404, () => raw("GET", `/api/shared/${links.plain}//charts/${ids.otherChart}`)],
    ["a semicolon", 404, () => raw("GET", `/api/shared/${links.plain}/charts/${charts.sources};${ids.otherChart}`)],
    ["a broken escape", [400, 404], () => raw("GET", `/api/shared/${links.plain}/charts/%ZZ`)],
    ["a whole address", [400, 401, 404], () => raw("GET", `http://127.0.0.1/v0/boards/${ids.otherBoard}`)],
    ["letters in another case", 404, () => raw("GET", `/API/SHARED/${links.plain}`)],
  ];
  const bearer = (token: string) => header("authorization", `Bearer ${token}`);
  const header = (name: string, value: string): RequestInit => ({ headers: { [name]: value } });
  const bi = (token: string) =>
    fetch(`${boards.api.apiUrl}/clickhouse/?query=SELECT%201`, {
      headers: { authorization: `Basic ${btoa(`default:${token}`)}` },
    });
  async function hashOf(id: string): Promise<string> {
    const rows = boards.api.store.read.selectFrom("board_links").select("hash").where("id", "=", id);
    return (await rows.executeTakeFirstOrThrow()).hash;
  }
  async function changedPassword(): Promise<Response> {
    const token = await open(links.changed ?? "", "first password");
    assert.equal((await chart(links.changed, charts.sources, "", bearer(token))).status, 200);
    const path = `/v0/boards/${ids.board}/links/${ids.link_changed}`;
    await boards.get("PATCH", path, { password: "second password" });
    return chart(links.changed, charts.sources, "", bearer(token));
  }

  test("is not widened by any of the attempts", async () => {
    const all = attempts();
    assert.ok(all.length >= 60, `${all.length} attempts`);
    const succeeded: string[] = [];
    for (const [what, wanted, run] of all) {
      const answer = await run();
      const text = await answer.text();
      const leak = secrets.find((secret) => text.includes(secret) && secret !== "SELECT");
      const isExpected = [wanted].flat().includes(answer.status);
      if (!isExpected || leak !== undefined || answer.headers.get("set-cookie") !== null)
        succeeded.push(`${what}: ${answer.status} ${leak ?? ""} ${text.slice(0, 200)}`);
    }
    assert.deepEqual(succeeded, []);
  });

  test("that is unknown, expired or revoked is answered with the same bytes, and in the same time", async () => {
    const tokens = { unknown: createKeyText("link"), expired: links.expired ?? "", revoked: links.revoked ?? "" };
    const bodies = new Set<string>();
    await inSomeRound(5, async () => {
      const times = new Map<string, number[]>();
      for (let round = 0; round < 40; round += 1)
        for (const [name, token] of Object.entries(tokens)) {
          const from = performance.now();
          const answer = await ask(`${token}/charts/${charts.sources}`);
          const text = await answer.text();
          times.set(name, [...(times.get(name) ?? []), performance.now() - from]);
          bodies.add(`${answer.status} ${text}`);
        }
      // Each is one question to the store. The least time of many is that of a request which nothing disturbed.
      const least = [...times.values()].map((one) => Math.min(...one));
      assert.ok(Math.max(...least) < 1.5 * Math.min(...least) + 0.5, JSON.stringify(least));
    });
    assert.equal(bodies.size, 1);
  });

  test("with a failing chart says that it fails, and not why", async () => {
    const id = await addChart(ids.board ?? "", { ...SOURCES, title: "Fails", params: { segment: ids.segment } });
    await boards.get("DELETE", `/v0/segments/${ids.segment}?force=true`);
    for (const [token, of] of [
      [links.plain, id],
      // The link itself is limited to it.
      [links.segmented, charts.sources],
    ]) {
      // Not the days that were asked when it was saved: that answer is kept.
      const answer = await chart(token, of, `?date_from=${dayBefore(5)}`);
      const text = await answer.text();
      assert.equal(answer.status, 400, text);
      assert.match(text, /cannot be shown/);
      assert.ok(!text.includes("egment"), text);
    }
    await boards.call("DELETE", `/v0/boards/${ids.board}/charts/${id}`);
  });

  test("asks the engine once, whoever looks, and shares the answers of members", async () => {
    const path = `${links.plain}/charts/${charts.byDay}?date_from=${dayBefore(12)}&date_to=${dayBefore(2)}`;
    boards.asked.length = 0;
    await Promise.all(Array.from({ length: 20 }, async () => rowsOf(await ask(path))));
    const days = `date_from=${dayBefore(12)}&date_to=${dayBefore(2)}`;
    await boards.get("GET", `/v0/boards/${ids.board}/charts/${charts.byDay}?include=results&${days}`);
    assert.deepEqual(
      boards.asked.filter((name) => name !== "data_version"),
      ["sql"],
    );
  });

  test("a link that is used too often rests, and the others of its board answer", { skip: ONLY_LONG }, async () => {
    const [busy, other] = [await addLink(ids.board ?? "", {}), await addLink(ids.board ?? "", {})];
    let used = 0;
    let late: Response | undefined;
    // 3,000 at once and 50 a second: one that runs for a minute has 6,000.
    while (late === undefined && used < 6_000) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(`${tokenOf(busy)}/charts/cht_none`)));
      used += answers.filter(({ status }) => status === 404).length;
      late = answers.find(({ status }) => status === 429);
      for (const answer of answers) await answer.arrayBuffer();
    }
    assert.ok(used >= 3_000, `${used} answered`);
    assert.match(late?.headers.get("retry-after") ?? "", /^\d+$/);
    for (const path of ["", `/charts/${charts.sources}`])
      assert.equal((await ask(`${tokenOf(other)}${path}`)).status, 200);
  });

  test("limits guesses by link and client, and who opened it before is not locked out by them", async () => {
    const { id, url } = await addLink(ids.board ?? "", { password: "correct horse" });
    const token = url.split("/").at(-1) ?? "";
    const known = await open(token, "correct horse");
    const statuses = new Set<number>();
    for (let nth = 0; nth < 15; nth += 1)
      statuses.add((await post(`${token}/open`, { password: `guess ${nth} of many` })).status);
    assert.deepEqual([...statuses], [401, 429]);
    const late = await post(`${token}/open`, { password: "correct horse" });
    assert.equal(late.status, 429);
    assert.match(late.headers.get("retry-after") ?? "", /^\d+$/);
    const again = await post(`${token}/open`, { password: "correct horse" }, { authorization: `Bearer ${known}` });
    assert.equal(again.status, 200);
    assert.equal((await ask(token, bearer(known))).status, 200);
    assert.equal((await post(`${links.password}/open`, { password: "correct horse" })).status, 200, "another link");
    await boards.call("DELETE", `/v0/boards/${ids.board}/links/${id}`);
    assert.equal((await ask(token, bearer(known))).status, 404, "a token outlives no link");
  });

  /** With a link of its own: attempts to open it with what was got before. */
  async function withGuesses(run: (link: { path: string; token: string }, guess: Guess) => Promise<void>) {
    const { id, url } = await addLink(ids.board ?? "", { password: "first password" });
    const [path, token] = [`/v0/boards/${ids.board}/links/${id}`, url.split("/").at(-1) ?? ""];
    await run({ path, token }, async (known, password = "a guess of many") =>
      post(`${token}/open`, { password }, { authorization: `Bearer ${known}` }),
    );
    await boards.call("DELETE", path);
  }
  type Guess = (known: string, password?: string) => Promise<Response>;

  test("counts the attempts of a browser on, however often it opens the link", async () => {
    await withGuesses(async ({ token }, guess) => {
      const first = await open(token, "first password");
      const again = await guess(first, "first password");
      const second = ((await again.json()) as { data: { token: string } }).data.token;
      const statuses: number[] = [];
      for (let nth = 0; nth < 10; nth += 1) statuses.push((await guess(first)).status);
      // One attempt was the opening.
      assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 401), 429]);
      assert.equal((await guess(second)).status, 429);
    });
  });

  test("whose password has changed gives those who knew the old one no attempts beside all others", async () => {
    await withGuesses(async ({ path, token }, guess) => {
      const known: string[] = [];
      for (let nth = 0; nth < 10; nth += 1) known.push(await open(token, "first password"));
      await boards.get("PATCH", path, { password: "second password" });
      const statuses: number[] = [];
      for (const one of known) for (let nth = 0; nth < 10; nth += 1) statuses.push((await guess(one)).status);
      const refused = statuses.indexOf(429);
      assert.equal(refused, 90, "100 attempts by all, of which 10 were the openings");
      assert.ok(statuses.slice(refused).every((status) => status === 429));
    });
  });
});

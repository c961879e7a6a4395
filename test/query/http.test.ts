import assert from "node:assert/strict";
import { get } from "node:http";
import { after, before, describe, test } from "node:test";
import { REPORT_LIMITS } from "../../src/contract/analytics.ts";
import { REVENUE_COLUMNS, SOURCE_COLUMNS } from "../../src/contract/metric-columns.ts";
import { INJECTIONS } from "../../src/query/testing.ts";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { startProcess } from "../support/process.ts";
import { MAIN, makeDataDir, readCredentials, serviceEnv, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

interface Report {
  meta: { name: string; type: string }[];
  data: Record<string, string | number>[];
  rows: number;
  rows_before_limit_at_least: number;
  statistics: { elapsed: number; rows_read: number; bytes_read: number };
}

const DAY = "2026-03-10";

/** Events of three visitors on one day, sent as a server would. */
function events(): object[] {
  const at = (time: string) => ({
    original_timestamp: `${DAY}T${time}Z`,
    sent_at: `${DAY}T${time}Z`,
    channel: "server",
  });
  const page = (referrer: string, url = "https://app.example.com/swap") => JSON.stringify({ page_url: url, referrer });
  const none = "{}";
  return [
    sampleEvent("1", {
      ...at("10:00:00"),
      type: "page",
      anonymous_id: "ada",
      context: page("https://www.google.com/", "https://app.example.com/swap?gclid=1"),
    }),
    sampleEvent("2", { ...at("10:01:00"), type: "page", anonymous_id: "ada", context: page("") }),
    sampleEvent("3", {
      ...at("10:02:00"),
      type: "track",
      event: "Purchase",
      anonymous_id: "ada",
      context: none,
      properties: JSON.stringify({ revenue: 0.1, chain_id: 1 }),
    }),
    sampleEvent("4", {
      ...at("10:03:00"),
      type: "track",
      event: "Purchase",
      anonymous_id: "ada",
      context: none,
      properties: JSON.stringify({ revenue: 0.2, chain_id: 8453 }),
    }),
    sampleEvent("5", { ...at("11:00:00"), type: "page", anonymous_id: "bob", context: page("") }),
    sampleEvent("6", { ...at("12:00:00"), type: "page", anonymous_id: "eve", context: page("https://t.co/x") }),
  ];
}

describe("the reports over HTTP", () => {
  let service: TestService;
  let apiKey = "";
  let projectId = "";
  const data = makeDataDir();

  before(async () => {
    service = await startService(data.dir, { SEXTANT_API_RATE_PER_SECOND: "100000", SEXTANT_API_RATE_BURST: "100000" });
    const credentials = readCredentials(data.dir);
    ({ apiKey, projectId } = credentials);
    await send(events());
    await waitFor("the events", async () => (await report("top_sources", WINDOW)).rows === 3);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  const send = async (list: readonly object[]) => {
    const sent = await fetch(`${service.eventsUrl}/v0/events?name=raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${readCredentials(data.dir).writeKey}`, "content-type": "application/json" },
      body: JSON.stringify(list),
    });
    assert.equal(sent.status, 200, await sent.text());
  };
  const WINDOW = `date_from=${DAY}&date_to=${DAY}`;
  const ask = (path: string, key = apiKey) =>
    fetch(`${service.apiUrl}/v0/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const report = async (name: string, query: string): Promise<Report> => {
    const answer = await ask(`${name}?${query}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
    return JSON.parse(text) as Report;
  };
  const filters = (...list: object[]) => `filters=${encodeURIComponent(JSON.stringify(list))}`;

  test("bots of a new project count only where the request or the project's setting says so", async () => {
    const day = "2026-05-12";
    const at = { original_timestamp: `${day}T10:00:00Z`, sent_at: `${day}T10:00:00Z`, channel: "server" };
    const of = (anonymous_id: string, user_agent: string) =>
      sampleEvent(anonymous_id, { ...at, anonymous_id, context: JSON.stringify({ user_agent }) });
    const agent = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";
    await send([of("person", ""), of("bot 1", agent), of("bot 2", agent)]);
    const window = `date_from=${day}&date_to=${day}`;
    const visitors = async (bots: string) =>
      (await report("kpis", `${window}&interval=all${bots}`)).data.map((row) => row.visitors);
    await waitFor("the events", async () => (await visitors("&bots=include"))[0] === 3);
    assert.deepEqual([await visitors(""), await visitors("&bots=exclude")], [[1], [1]]);
    const onlyBots = filters({ field: "device", op: "eq", value: "bot" });
    const named = await report("top_sources", `${window}&bots=include&metric_column=browser&${onlyBots}`);
    assert.deepEqual(
      named.data.map(({ browser, visitors: count }) => [browser, count]),
      [["ahrefsbot", 2]],
    );
    const values = async (bots: string) => {
      const answer = await ask(`distinct_values?field=device&${window}${bots}`);
      return ((await answer.json()) as { data: unknown[] }).data;
    };
    assert.deepEqual([await values(""), await values("&bots=include")], [[], [{ value: "bot", count: 2 }]]);
    await expectError(await ask(`kpis?${window}&bots=some`), "plain", 400, "INVALID_VALIDATION_REQUEST");
    const setTo = async (choice: string) => {
      const command = startProcess([MAIN, "projects", "bots", projectId, choice], serviceEnv(data.dir));
      assert.equal(await command.exited, 0, command.stderr());
    };
    await setTo("count");
    assert.deepEqual([await visitors(""), await visitors("&bots=exclude")], [[3], [1]]);
    await setTo("exclude");
    assert.deepEqual(await visitors(""), [1]);
  });

  test("200: top_sources returns hits, sessions and visitors by first touch, with the right types", async () => {
    const found = await report("top_sources", WINDOW);
    assert.deepEqual(found.meta, [
      { name: "project_id", type: "String" },
      { name: "referrer", type: "String" },
      { name: "hits", type: "UInt64" },
      { name: "sessions", type: "UInt64" },
      { name: "visitors", type: "UInt64" },
    ]);
    assert.deepEqual(found.data, [
      { project_id: projectId, referrer: "google.com", hits: 2, sessions: 1, visitors: 1 },
      { project_id: projectId, referrer: "Direct", hits: 1, sessions: 1, visitors: 1 },
      { project_id: projectId, referrer: "t.co", hits: 1, sessions: 1, visitors: 1 },
    ]);
    assert.deepEqual([found.rows, found.rows_before_limit_at_least], [3, 3]);
    assert.deepEqual(Object.keys(found.statistics).sort(), ["bytes_read", "elapsed", "rows_read"]);
  });

  test("200: top_chains and revenue_by_metric return sums without rounding errors", async () => {
    const chains = await report("top_chains", WINDOW);
    assert.deepEqual(
      chains.data.map(({ chain_id, sessions, visitors }) => [chain_id, sessions, visitors]),
      [
        ["1", 1, 1],
        ["8453", 1, 1],
      ],
    );
    const revenue = await report("revenue_by_metric", `${WINDOW}&metric_column=referrer`);
    assert.deepEqual(revenue.data, [{ project_id: projectId, referrer: "google.com", sum_revenue: 0.3 }]);
    assert.deepEqual(
      revenue.meta.map(({ type }) => type),
      ["String", "String", "Float64"],
    );
    const pages = await report("revenue_by_metric", `${WINDOW}&metric_column=pathname`);
    assert.deepEqual(pages.data, [{ project_id: projectId, pathname: "/swap", sum_revenue: 0.3 }]);
  });

  test("200: a report can use every column of the contract, and an unknown one has no rows", async () => {
    const spec = (await (await fetch(`${service.apiUrl}/openapi.json`)).json()) as { paths: object };
    assert.ok(Object.keys(spec.paths).includes("/v0/revenue_by_metric"));
    for (const column of REVENUE_COLUMNS) {
      const found = await report("revenue_by_metric", `${WINDOW}&metric_column=${column}`);
      assert.equal(found.meta[1]?.name, column);
      assert.ok(found.rows > 0, column);
    }
    for (const column of SOURCE_COLUMNS) {
      const found = await report("top_sources", `${WINDOW}&metric_column=${column}`);
      assert.equal(found.meta[1]?.name, column);
      assert.ok(found.rows > 0, column);
    }
    for (const [name, measures] of [
      ["top_sources", ["hits", "sessions", "visitors"]],
      ["revenue_by_metric", ["sum_revenue"]],
    ] as const) {
      const none = await report(name, `${WINDOW}&metric_column=nope`);
      assert.deepEqual(
        none.meta.map((column) => column.name),
        ["project_id", "metric_value", ...measures],
      );
      assert.deepEqual([none.data, none.rows, none.rows_before_limit_at_least], [[], 0, 0]);
    }
  });

  test("200: paging works, with the defaults of the contract", async () => {
    const [first, second] = [
      await report("top_sources", `${WINDOW}&limit=2`),
      await report("top_sources", `${WINDOW}&limit=2&offset=2`),
    ];
    assert.deepEqual([first.rows, second.rows, second.rows_before_limit_at_least], [2, 1, 3]);
    assert.equal((await report("top_sources", "")).rows, 0, "the last eight days hold none of these events");
    assert.equal((await report("top_sources", `date_to=2026-03-17`)).rows, 3, "seven days before date_to are in");
    assert.equal((await report("top_sources", `date_to=2026-03-18`)).rows, 0);
    assert.equal((await report("top_sources", `${WINDOW}&project_id=${projectId}`)).rows, 3);
  });

  test("200: filters restrict what is counted", async () => {
    const search = { field: "referrer", op: "includes", value: "GOOGLE" };
    assert.equal((await report("top_sources", `${WINDOW}&${filters(search)}`)).rows, 1);
    const bought = { field: "event", op: "equals", value: "Purchase" };
    assert.deepEqual(
      (
        await report("top_sources", `${WINDOW}&${filters(bought, { field: "revenue", op: "gt", value: 0.15 })}`)
      ).data.map((row) => row.referrer),
      ["google.com"],
    );
    const chain = filters({ field: "chain_id", op: "in", value: "8453|10" });
    assert.deepEqual((await report("revenue_by_metric", `${WINDOW}&metric_column=event&${chain}`)).data, [
      { project_id: projectId, event: "Purchase", sum_revenue: 0.2 },
    ]);
  });

  test("200: filters may be as long as the contract allows, and one character more is 400", async () => {
    const wallets = Array.from(
      { length: REPORT_LIMITS.filterAlternatives },
      (_, n) => `0x${String(n).padStart(40, "0")}`,
    );
    for (const value of [wallets, wallets.join("|")])
      assert.equal((await report("top_chains", `${WINDOW}&${filters({ field: "address", op: "in", value })}`)).rows, 0);

    // Each of its characters is encoded as three.
    const value = "|".repeat(REPORT_LIMITS.filterAlternatives - 1);
    const many = Array(REPORT_LIMITS.filters).fill({
      field: "event",
      op: "notIn",
      value: `${value}${" ".repeat(2_000)}`,
    });
    const text = JSON.stringify(many);
    assert.ok(text.length <= REPORT_LIMITS.filtersChars);
    const ask3 = (length: number) => `${WINDOW}&filters=${encodeURIComponent(text.padEnd(length, " "))}`;
    assert.equal((await report("top_sources", ask3(REPORT_LIMITS.filtersChars))).rows, 1);
    const refused = await ask(`top_sources?${ask3(REPORT_LIMITS.filtersChars + 1)}`);
    const error = await expectError(refused, "plain", 400, "INVALID_VALIDATION_REQUEST");
    assert.deepEqual(error.details, { "query.filters": "must have at most 65536 characters" });
  });

  test("200: hostile filter values match nothing and cause no error", async () => {
    for (const value of INJECTIONS) {
      for (const name of ["top_sources", "top_chains", "revenue_by_metric"]) {
        const query = filters({ field: "referrer", op: "equals", value }, { field: "event", op: "contains", value });
        const found = await report(name, `${WINDOW}&metric_column=referrer&${query}`);
        assert.equal(found.rows, 0, value);
      }
    }
  });

  const invalid: [query: string, ...params: string[]][] = [
    ["top_sources?limit=0", "query.limit"],
    ["top_sources?limit=1001", "query.limit"],
    ["top_sources?limit=ten", "query.limit"],
    ["top_sources?offset=-1", "query.offset"],
    ["top_sources?offset=100001", "query.offset"],
    ["top_chains?date_from=2026-02-30", "query.date_from"],
    ["top_chains?date_from=10.03.2026", "query.date_from"],
    ["top_chains?date_to=2026-3-1", "query.date_to"],
    ["top_chains?date_from=2026-03-11&date_to=2026-03-10", "query.date_from"],
    ["top_chains?filters=nope", "query.filters"],
    [
      "top_chains?filters=nope&limit=0&date_from=2026-03-11&date_to=2026-03-10",
      "query.filters",
      "query.limit",
      "query.date_from",
    ],
    ["revenue_by_metric", "query.metric_column"],
    ["revenue_by_metric?limit=0&offset=-1", "query.metric_column", "query.limit", "query.offset"],
    [
      `revenue_by_metric?metric_column=os&filters=${encodeURIComponent('[{"field":"os","op":"gt","value":1}]')}`,
      "query.filters.0.op",
    ],
    ["top_sources?limit=1&limit=2", "query.limit"],
    ["top_sources?page_scope=site", "query.page_scope"],
    ["kpis?interval=year&limit=0&compare_from=2026-03-01", "query.interval", "query.limit", "query.compare_to"],
    [
      "kpis?compare_from=2026-03-02&compare_to=2026-03-01&include_previous_period=maybe",
      "query.compare_from",
      "query.include_previous_period",
    ],
    ["kpis?interval=hour&date_from=1970-01-01", "query.interval"],
    ["kpis?group_by=nope", "query.group_by"],
    ["event_timeseries?group_by=nope", "query.group_by"],
    ["revenue_overview?rank_by=points", "query.rank_by"],
    ["revenue_timeseries?date_to=2026-13-01", "query.address", "query.date_to"],
    ["top_pages?mode=first", "query.mode"],
    ["top_events?type=page", "query.type"],
    ["volume_by_metric", "query.metric_column"],
  ];
  const told: [query: string, details: Record<string, string>][] = [
    ["limit=1&limit=2", { "query.limit": "must be given once" }],
    ["filters=[]&filters=[]", { "query.filters": "must be given once" }],
    ["date_from=2026-11-10T00:00:00Z", { "query.date_from": "must be a valid date" }],
    ["limit=0x10", { "query.limit": "must be a whole number" }],
    ["offset=1e2", { "query.offset": "must be a whole number" }],
    ["limit=%205", { "query.limit": "must be a whole number" }],
    ["limit=5.0", { "query.limit": "must be a whole number" }],
    ["limit=", { "query.limit": "must be a whole number" }],
    ["limit=-5", { "query.limit": "must be at least 1" }],
    ["limit=99999999999999999999", { "query.limit": "must be at most 1000" }],
  ];
  for (const [query, details] of told) {
    test(`400: ${query} is refused with the reason`, async () => {
      const error = await expectError(await ask(`top_chains?${query}`), "plain", 400, "INVALID_VALIDATION_REQUEST");
      assert.deepEqual(error.details, details);
    });
  }

  for (const [path, ...params] of invalid) {
    test(`400: ${decodeURIComponent(path)}`, async () => {
      const answer = await ask(path);
      const error = await expectError(answer, "plain", 400, "INVALID_VALIDATION_REQUEST");
      assert.deepEqual(Object.keys(error.details ?? {}).sort(), params.sort());
    });
  }

  test("401 without a key, 403 without query:read, 404 for an unknown project", async () => {
    await expectError(await ask("top_chains", "sxt_wrong"), "plain", 401, "UNAUTHORIZED");
    const made = startProcess([MAIN, "--json", "keys", "create", "--scopes", "forms:read"], serviceEnv(data.dir));
    await made.exited;
    const { apiKey: narrow } = JSON.parse(made.stdout()) as { apiKey: string };
    const denied = await expectError(await ask("top_chains", narrow), "plain", 403, "FORBIDDEN");
    assert.match(denied.message, /query:read/);
    await expectError(await ask("top_chains?project_id=prj_none"), "plain", 404, "NOT_FOUND");
  });

  test("an abandoned report is not logged as an error", async () => {
    const leave = (afterMs: number) =>
      new Promise<void>((resolve) => {
        const url = `${service.apiUrl}/v0/top_sources?${WINDOW}&${filters({ field: "os", op: "notEmpty" })}`;
        const request = get(url, { agent: false, headers: { authorization: `Bearer ${apiKey}` } });
        request.on("error", () => undefined).on("close", resolve);
        setTimeout(() => request.destroy(), afterMs);
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => leave(n * 3)));
    await report("top_sources", WINDOW);
    const lines = service
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const ofRequests = lines
      .map((line) => JSON.parse(line) as { level: number; requestId?: string; msg: string })
      .filter(({ level, requestId }) => level >= 40 && requestId !== undefined);
    assert.deepEqual(ofRequests, []);
  });

  test("a rebuild while the service runs changes no report", async () => {
    const before = await report("top_sources", WINDOW);
    const rebuild = startProcess([MAIN, "--json", "rebuild"], serviceEnv(data.dir));
    const asked: Report[] = [];
    let done = false;
    const end = rebuild.exited.then((code) => {
      done = true;
      return code;
    });
    while (!done) asked.push(await report("top_sources", WINDOW));
    assert.equal(await end, 0, rebuild.stderr());
    // The day of this suite's events, and that of the bots.
    assert.deepEqual(JSON.parse(rebuild.stdout()), { partitions: 2 });
    for (const one of [...asked, await report("top_sources", WINDOW)]) assert.deepEqual(one.data, before.data);
  });
});

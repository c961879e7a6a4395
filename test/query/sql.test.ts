import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { expectError } from "../support/envelope.ts";
import { sampleEvent } from "../support/events.ts";
import { makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

interface Answer {
  data: Record<string, unknown>[];
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

const EVENTS = 250;
/** The default time limit of a statement. */
const TIMEOUT_MS = 30_000;
/** Billions of rows. */
const ENDLESS =
  "SELECT count() FROM events a, events b, events c, events d WHERE a.event > b.event || c.event || d.event";

const readParquet = async (response: Response) => parquetReadObjects({ file: await response.arrayBuffer() });

describe("SQL over HTTP", () => {
  let service: TestService;
  let apiKey = "";
  let writeKey = "";
  const data = makeDataDir();

  before(async () => {
    service = await startService(data.dir, {
      SEXTANT_API_RATE_PER_SECOND: "100000",
      SEXTANT_API_RATE_BURST: "100000",
    });
    ({ apiKey, writeKey } = readCredentials(data.dir));
    const events = Array.from({ length: EVENTS }, (_, n) =>
      sampleEvent(`m${n}`, { type: "track", event: `event ${n}`, properties: JSON.stringify({ revenue: 0.5 }) }),
    );
    const sent = await fetch(`${service.eventsUrl}/v0/events?name=raw_events`, {
      method: "POST",
      headers: { authorization: `Bearer ${writeKey}`, "content-type": "application/json" },
      body: JSON.stringify(events),
    });
    assert.equal(sent.status, 200, await sent.text());
    await waitFor("the events", async () => (await answer("SELECT 1 FROM events LIMIT 1000")).total === EVENTS);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  const ask = (query: unknown, more = "", init: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
    fetch(`${service.apiUrl}/v0/query${more}`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...init.headers },
      body: JSON.stringify({ query }),
      ...(init.signal ? { signal: init.signal } : {}),
    });
  const answer = async (query: string): Promise<Answer> => {
    const response = await ask(query);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text) as Answer;
  };

  test("a statement without a table", async () => {
    const only = { total: 1, limit: 100, offset: 0, has_more: false };
    assert.deepEqual(await answer("SELECT 1 AS value"), { data: [{ value: 1 }], ...only });
  });

  test("100 rows without LIMIT, and how many there are", async () => {
    const { data: rows, ...rest } = await answer("SELECT event FROM events ORDER BY event");
    assert.equal(rows.length, 100);
    assert.deepEqual(rest, { total: EVENTS, limit: 100, offset: 0, has_more: true });
  });

  test("LIMIT and OFFSET page through all rows once", async () => {
    const seen: unknown[] = [];
    for (let offset = 0; ; offset += 90) {
      const page = await answer(`SELECT event FROM events ORDER BY event LIMIT 90 OFFSET ${offset}`);
      assert.deepEqual([page.total, page.limit, page.offset], [EVENTS, 90, offset]);
      seen.push(...page.data.map(({ event }) => event));
      if (!page.has_more) break;
    }
    assert.equal(new Set(seen).size, EVENTS);
    assert.deepEqual((await answer("SELECT event FROM events LIMIT 5 OFFSET 1000")).data, []);
  });

  test("what clients append is taken off", async () => {
    for (const tail of [";", " FORMAT JSON", " FORMAT JSONEachRow ;", "\n;\n"])
      assert.deepEqual((await answer(`SELECT count() AS n FROM events LIMIT 1${tail}`)).data, [{ n: EVENTS }]);
  });

  test("the trailing slash of the path makes no difference", async () => {
    const response = await fetch(`${service.apiUrl}/v0/query/`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "SELECT 1 AS value" }),
    });
    assert.equal(response.status, 200);
  });

  test("CSV and lines of JSON", async () => {
    const sql = `SELECT 'a"b,c' AS "x, y", revenue, NULL AS z FROM events LIMIT 2`;
    const csv = await ask(sql, "?format=csv");
    assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
    assert.equal(await csv.text(), '"x, y",revenue,z\r\n"a""b,c",0.5,\r\n"a""b,c",0.5,\r\n');
    const lines = await ask(sql, "?format=ndjson");
    assert.match(lines.headers.get("content-type") ?? "", /^application\/x-ndjson/);
    const line = `{"x, y":"a\\"b,c","revenue":0.5,"z":null}\n`;
    assert.equal(await lines.text(), line + line);
  });

  test("Parquet, with the types of the columns", async () => {
    const sql = `SELECT toDate('2026-03-01') AS day, toDateTime64('2026-03-01 10:00:00.5', 3) AS time, [1, NULL] AS list, count() AS n,
      sum(revenue) AS revenue, toUInt64('18446744073709551615') AS most, 'é' AS text, NULL AS nothing, 1 = 1 AS yes,
      sum(toInt64(1)) AS whole FROM events`;
    const response = await ask(sql, "?format=parquet");
    assert.equal(response.headers.get("content-type"), "application/vnd.apache.parquet");
    assert.deepEqual(await readParquet(response), [
      {
        ...{ day: new Date("2026-03-01"), time: new Date("2026-03-01T10:00:00.5Z"), list: [1, null] },
        ...{ n: BigInt(EVENTS), revenue: EVENTS / 2, most: 18446744073709551615n, text: "é", nothing: null },
        ...{ yes: true, whole: EVENTS },
      },
    ]);
    assert.equal((await readParquet(await ask("SELECT event FROM events", "?format=parquet"))).length, 100);
    assert.deepEqual(await readParquet(await ask("SELECT event FROM events LIMIT 0", "?format=parquet")), []);
  });

  test("a format that does not exist is an error that names all", async () => {
    for (const format of ["xml", ""]) {
      const response = await ask("SELECT 1", `?format=${format}`);
      assert.equal(response.status, 400);
      assert.match(await response.text(), /must be one of json, ndjson, csv, parquet/);
    }
  });

  test("a column of time becomes a number, as old dashboards write it", async () => {
    const { data: rows } = await answer("SELECT count() AS n FROM events WHERE toUInt32(timestamp) > 0");
    assert.deepEqual(rows, [{ n: EVENTS }]);
  });

  test("a fraction of a second has three digits in each format", async () => {
    const sql = "SELECT toDateTime64('2026-01-01 00:00:00.500', 3) AS a, toDateTime('2026-01-01 00:00:00') AS b";
    const [half, whole] = ["2026-01-01 00:00:00.500", "2026-01-01 00:00:00"];
    assert.deepEqual((await answer(sql)).data, [{ a: half, b: whole }]);
    assert.equal(await (await ask(sql, "?format=csv")).text(), `a,b\r\n${half},${whole}\r\n`);
  });

  test("a number that JSON lacks is null, also in arrays and tuples", async () => {
    const { data: rows } = await answer(
      "SELECT 1e308 * 10 AS a, [1e308 * 10, 1] AS b, [[toFloat64('nan')]] AS c, (0.5, 1e308 * 10) AS d",
    );
    assert.deepEqual(rows, [{ a: null, b: [null, 1], c: [[null]], d: [0.5, null] }]);
  });

  test("an empty answer in each format", async () => {
    const sql = "SELECT event AS e FROM events WHERE event = 'none'";
    const texts = await Promise.all(
      ["json", "csv", "ndjson"].map(async (f) => (await ask(sql, `?format=${f}`)).text()),
    );
    assert.deepEqual(texts, ['{"data":[],"total":0,"limit":100,"offset":0,"has_more":false}', "e\r\n", ""]);
  });

  test("a long answer arrives complete", async () => {
    const { data: rows, total } = await answer("SELECT a.event AS a, b.event AS b FROM events a, events b LIMIT 20000");
    assert.deepEqual([rows.length, total], [20_000, EVENTS * EVENTS]);
  });

  test("400 BAD_REQUEST for a statement that is wrong or not allowed", async () => {
    for (const [sql, message] of [
      ["SELEC 1", /Only a single SELECT/],
      ["SELECT FROM", /cannot be parsed/],
      ["SELECT nothing FROM events", /nothing/],
      ["SELECT user_idd FROM events", /^There is no column user_idd \(line 1, column 8\): did you mean `user_id`\?$/],
      ["SELECT domain()", /^(?!.*user_).*the function/],
      ["SELECT 1; SELECT 2", /one statement/],
      ["SELECT 1 -- comment", /Comments/],
      ["SELECT 1 LIMIT 1000001", /LIMIT/],
      ["SELECT * FROM ledger", /no table ledger/],
      ["SELECT * FROM information_schema.tables", /query\/schema lists/],
      ["SELECT getenv('HOME')", /no function getenv/],
    ] as const) {
      const failure = await expectError(await ask(sql), "plain", 400, "BAD_REQUEST");
      assert.match(failure.message, message);
      assert.equal(failure.param, "body.query");
    }
  });

  test("400 INVALID_VALIDATION_REQUEST for a request without a query or with an unknown format", async () => {
    await expectError(await ask(undefined), "plain", 400, "INVALID_VALIDATION_REQUEST");
    await expectError(await ask("SELECT 1", "?format=xml"), "plain", 400, "INVALID_VALIDATION_REQUEST");
  });

  test("401 without a key, 404 for a project of somebody else", async () => {
    await expectError(await ask("SELECT 1", "", { headers: { authorization: "" } }), "plain", 401, "UNAUTHORIZED");
    await expectError(await ask("SELECT 1", "?project_id=prj_other"), "plain", 404, "NOT_FOUND");
  });

  test("a client that goes away ends its query and frees its slot", async () => {
    const running = async () => {
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      return Number(/^sextant_reports_running (\d+)/m.exec(metrics)?.[1]);
    };
    const gone = new AbortController();
    const asked = ask(ENDLESS, "", { signal: gone.signal });
    await waitFor("the query to run", async () => (await running()) === 1);
    const startedAt = performance.now();
    gone.abort();
    await assert.rejects(asked);
    await waitFor("the query to end", async () => (await running()) === 0);
    assert.ok(performance.now() - startedAt < TIMEOUT_MS, "before its time was over");
  });

  test("statements at the limit of a workspace do not stop its reports", async () => {
    const gone = new AbortController();
    const heavy = Array.from({ length: 2 }, () => ask(ENDLESS, "", { signal: gone.signal }).catch(() => undefined));
    const report = await fetch(`${service.apiUrl}/v0/top_sources`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal(report.status, 200);
    gone.abort();
    await Promise.all(heavy);
  });

  test("an Idempotency-Key changes nothing: the answer is current", async () => {
    const headers = { "idempotency-key": "same" };
    assert.equal((await ask("SELECT 1 AS a", "", { headers })).status, 200);
    assert.equal((await ask("SELECT 2 AS a", "", { headers })).status, 200);
  });

  test("editors get tables, columns and functions", async () => {
    const response = await fetch(`${service.apiUrl}/v0/query/schema`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { tables, functions } = (await response.json()) as {
      tables: { name: string; columns: { name: string; type: string }[] }[];
      functions: { name: string }[];
    };
    assert.ok(
      functions.some(({ name }) => name === "toStartOfWeek") && functions.every(({ name }) => /^\w/.test(name)),
    );
    for (const { name, columns } of tables) {
      const csv = await (await ask(`SELECT * FROM ${name} LIMIT 0`, "?format=csv")).text();
      assert.deepEqual(
        csv.trim().split(","),
        columns.map((column) => column.name),
        name,
      );
    }
  });
});

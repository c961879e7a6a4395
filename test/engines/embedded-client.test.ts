import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import fc from "fast-check";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { SEED } from "../support/seed.ts";

/** The official client against the embedded engine: what works here works against a cluster. */
let test: TestEngine;
let client: ClickHouseClient;
before(async () => {
  test = await startTestEngine();
  client = createClient({ url: test.engine.url(), username: test.engine.username, password: test.engine.password });
  await client.command({ query: "CREATE DATABASE d" });
  await client.command({ query: "CREATE TABLE d.t (a UInt64, b String) ENGINE = MergeTree ORDER BY a" });
});
after(async () => {
  await client.close();
  await test.stop();
});

async function one<T>(query: string, query_params: Record<string, unknown> = {}): Promise<T> {
  const result = await client.query({ query, query_params, format: "JSONEachRow" });
  const [row] = await result.json<{ x: T }>();
  assert.ok(row !== undefined);
  return row.x;
}

it("ping, command, insert and query", async () => {
  assert.deepEqual(await client.ping(), { success: true });
  const values = [
    { a: 1, b: "x" },
    { a: 2, b: "\n\n; 'y'" },
  ];
  const inserted = await client.insert({ table: "d.t", values, format: "JSONEachRow" });
  assert.equal(inserted.summary?.written_rows, "2");
  const result = await client.query({ query: "SELECT a, b FROM d.t ORDER BY a", format: "JSON" });
  const answer = await result.json<{ a: string; b: string }>();
  assert.deepEqual(
    answer.data.map(({ b }) => b),
    ["x", "\n\n; 'y'"],
  );
  assert.equal(answer.rows, 2);
});

it("a stream of rows can be inserted, compressed both ways", async () => {
  const zipped = createClient({
    url: test.engine.url(),
    username: test.engine.username,
    password: test.engine.password,
    compression: { request: true, response: true },
  });
  await zipped.command({ query: "TRUNCATE TABLE d.t" });
  const values = Readable.from(Array.from({ length: 20_000 }, (_, a) => ({ a, b: `row ${a}` })));
  await zipped.insert({ table: "d.t", values, format: "JSONEachRow" });
  const result = await zipped.query({ query: "SELECT * FROM d.t ORDER BY a", format: "JSONEachRow" });
  const rows = await result.json<{ b: string }>();
  assert.deepEqual([rows.length, rows.at(-1)?.b], [20_000, "row 19999"]);
  await zipped.close();
});

describe("errors", () => {
  it("before the first row have a code", async () => {
    await assert.rejects(client.query({ query: "SELECT * FROM nope" }), { code: "60", type: "UNKNOWN_TABLE" });
  });

  it("in the middle of a stream reach the reader of rows", async () => {
    const result = await client.query({
      query: "SELECT number, throwIf(number = 200000) FROM numbers(300000) SETTINGS max_block_size = 1000",
      format: "JSONEachRow",
    });
    let rows = 0;
    await assert.rejects(
      async () => {
        for await (const batch of result.stream()) rows += batch.length;
      },
      { code: "395", type: "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO" },
    );
    assert.ok(rows > 0 && rows < 200_001, `${rows} rows`);
  });

  it("in the middle of a stream reach a reader that knows no markers, too", async () => {
    for (const headers of [{}, { "accept-encoding": "gzip" }]) {
      await assert.rejects(
        test.ask({
          body: "SELECT number, throwIf(number = 200000) FROM numbers(300000) SETTINGS max_block_size = 1000 FORMAT JSON",
          params: { enable_http_compression: "1" },
          headers: { "accept-encoding": "identity", ...headers },
        }),
      );
    }
  });

  it("late, but with wait_end_of_query, are a status", async () => {
    const answer = await test.ask({
      body: "SELECT number, throwIf(number = 200000) FROM numbers(300000) SETTINGS max_block_size = 1000",
      params: { wait_end_of_query: "1" },
    });
    assert.deepEqual([answer.status, answer.headers.get("x-clickhouse-exception-code")], [500, "395"]);
  });
});

describe("streaming", () => {
  it("1,000,000 rows arrive complete and in bounded memory", async () => {
    // A first one fills the buffers of the output threads, which stay; the second one must need no more.
    await readRows(400_000);
    const before = residentBytes();
    const { rows, sum, peak } = await readRows(1_000_000);
    assert.deepEqual([rows, sum], [1_000_000, 499_999_500_000]);
    assert.ok(peak - before < 120_000_000, `grew by ${peak - before} bytes for an answer of 221 MB`);
  });

  for (const format of ["JSON", "JSONCompact", "CSVWithNames", "JSONCompactEachRowWithNames", "XML", "Pretty"]) {
    it(`${format} has one head and one foot, however long`, async () => {
      const sql = (rows: number) =>
        `SELECT number, toString(number) || 'é' AS s FROM numbers(${rows}) FORMAT ${format}`;
      // On a slow machine the engine itself begins another table after 50 ms without rows; it is told to wait.
      const patience = {
        output_format_pretty_squash_consecutive_ms: "60000",
        output_format_pretty_squash_max_wait_ms: "60000",
      };
      const { text } = await test.ask({
        body: sql(200_000),
        params: { output_format_pretty_max_rows: "1000000", ...patience },
      });
      if (format.startsWith("JSON") && !format.includes("EachRow")) {
        assert.equal((JSON.parse(text) as { data: unknown[] }).data.length, 200_000);
      } else {
        const [head = ""] = text.split("\n");
        assert.equal(text.split(head).length - 1, 1, head.slice(0, 80));
      }
    });
  }
});

async function readRows(count: number): Promise<{ rows: number; sum: number; peak: number }> {
  const result = await client.query({
    query: `SELECT number AS a, repeat('x', 200) AS b FROM numbers(${count})`,
    format: "JSONEachRow",
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
  });
  let rows = 0;
  let sum = 0;
  let peak = 0;
  for await (const batch of result.stream()) {
    for (const { text } of batch) sum += Number(text.slice(5, text.indexOf(",")));
    if (Math.floor(rows / 20_000) !== Math.floor((rows + batch.length) / 20_000))
      peak = Math.max(peak, residentBytes());
    rows += batch.length;
  }
  return { rows, sum, peak };
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${test.engine.status().pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

describe("many at once", () => {
  it("every answer is its own, whole, however they interleave", async () => {
    const call = async (index: number): Promise<void> => {
      const rows = index % 7 === 0 ? 40_000 : 1 + (index % 3);
      const query = `SELECT {i:UInt32} AS i, number AS n FROM numbers(${rows})`;
      const result = await client.query({ query, query_params: { i: index }, format: "TabSeparated" });
      const lines = (await result.text()).split("\n").slice(0, -1);
      assert.equal(lines.length, rows);
      assert.ok(lines.every((line, n) => line === `${index}\t${n}`));
    };
    for (let batch = 0; batch < 5; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => call(batch * 50 + index)));
    }
  });
});

describe("parameters come back as they went in", () => {
  const nasty = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom(
        "'",
        "\\",
        "\n",
        "\t",
        "\r",
        "\0",
        "`",
        '"',
        "é",
        "😀",
        ";",
        "-",
        "/",
        "*",
        "$",
        "{",
        "}",
        "N",
        "%",
      ),
      maxLength: 12,
    }),
  );

  async function holds<T>(type: string, arbitrary: fc.Arbitrary<T>): Promise<void> {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        assert.deepEqual(await one(`SELECT {v:${type}} AS x`, { v: value }), value);
      }),
      { seed: SEED, numRuns: 50 },
    );
  }

  it("String", () => holds("String", nasty.filter(isWellFormed)));
  it("Nullable(String)", () => holds("Nullable(String)", fc.option(nasty.filter(isWellFormed))));
  it("Array(String)", () => holds("Array(String)", fc.array(nasty.filter(isWellFormed), { maxLength: 4 })));
  it("Array(Nullable(String))", () =>
    holds("Array(Nullable(String))", fc.array(fc.option(nasty.filter(isWellFormed)), { maxLength: 4 })));
  it("Int32", () => holds("Int32", fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })));
  it("Map(String, String)", () =>
    holds(
      "Map(String, String)",
      fc.dictionary(
        nasty.filter(isWellFormed).filter((key) => key !== "__proto__"),
        nasty.filter(isWellFormed),
        { maxKeys: 3, noNullPrototype: true },
      ),
    ));
});

function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

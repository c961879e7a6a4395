import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Clickhouse, openDatabase } from "../../src/engines/clickhouse/database.ts";
import { startClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { whyClickHouseLacks, whyNoClickHouse } from "./platform.ts";
import { waitFor } from "./wait.ts";

const skip = whyNoClickHouse() ?? false;
const ENDLESS = "SELECT count() AS forsaken FROM numbers(1e12) WHERE sipHash64(number) = 1";

/** The requests of our own client, and the responses that every ClickHouse of the tests must give. */
describe("the ClickHouse of the tests", { skip }, () => {
  let server: TestClickHouse;
  let engine: Clickhouse;
  before(async () => {
    server = await startClickHouse();
    engine = connect(server);
    await engine.command(
      "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100",
    );
  });
  after(async () => {
    await engine?.close();
    await server?.stop();
  });

  async function fill(...values: object[]): Promise<void> {
    await engine.command("TRUNCATE TABLE t");
    await engine.insert({ table: "t", body: lines(values), format: "JSONEachRow" });
  }

  it("stores RowBinary and returns it", async () => {
    await engine.command("TRUNCATE TABLE t");
    // Blank lines, quotes and SQL text are ordinary data.
    const body = Buffer.concat([rowBinary(1n, "x\n\n; DROP TABLE t"), rowBinary(2n ** 53n, "é\0'\\")]);
    await engine.insert({ table: "t", columns: ["a", "b"], body, format: "RowBinary" });
    const { rows, statistics } = await engine.select("SELECT a, b FROM t ORDER BY a");
    assert.deepEqual(rows, [
      { a: 1, b: "x\n\n; DROP TABLE t" },
      { a: 2 ** 53, b: "é\0'\\" },
    ]);
    assert.equal(statistics.rows_read, 2);
  });

  it("accepts JSON lines and schema changes", async () => {
    await fill({ a: 1, b: "x" }, { a: 2, b: "y" });
    await engine.command("ALTER TABLE t ADD COLUMN c UInt8 DEFAULT 7");
    await engine.command("INSERT INTO t (a, b) SELECT a + 10, {b:String} FROM t", { params: { b: "z" } });
    const { rows } = await engine.select("SELECT groupArray((a, b, c)) AS x FROM (SELECT * FROM t ORDER BY a)");
    assert.deepEqual(rows, [{ x: [1, 2, 11, 12].map((a, at) => [a, ["x", "y", "z", "z"][at], 7]) }]);
    await engine.command("ALTER TABLE t DROP COLUMN c");
  });

  it("binds short and long parameters, and applies settings to one statement only", async () => {
    const nasty = "'; DROP TABLE t -- \\ \n\t\0 {x:String} é😀";
    const many = Array.from({ length: 9_000 }, (_, n) => 1_700_000_000_000 + n);
    const { rows } = await engine.select(
      "SELECT {s:String} AS s, {list:Array(String)} AS list, length({many:Array(UInt64)}) AS n, getSetting('max_block_size') AS size",
      { params: { s: nasty, list: [nasty, ""], many }, settings: { max_block_size: 1234 } },
    );
    assert.deepEqual(rows, [{ s: nasty, list: [nasty, ""], n: 9_000, size: 1234 }]);
    const next = await engine.select<{ n: number }>("SELECT getSetting('max_block_size') AS n");
    assert.notEqual(next.rows[0]?.n, 1234);
  });

  it("accepts a repeated token and stores its rows once", async () => {
    await engine.command("TRUNCATE TABLE t");
    for (const a of [1, 2])
      await engine.insert({ table: "t", body: lines([{ a }]), format: "JSONEachRow", dedupeToken: "batch-1" });
    assert.deepEqual((await engine.select("SELECT a FROM t")).rows, [{ a: 1 }]);
  });

  it("does not let a read write or access files", async () => {
    for (const sql of [
      "SELECT * FROM file('/etc/passwd', 'LineAsString')",
      "INSERT INTO t (a) SELECT 1",
      "/* a */ KILL QUERY WHERE 1 ASYNC",
      "DROP TABLE t",
    ]) {
      await assert.rejects(engine.select(sql), { name: "EngineRefused", code: 164 }, sql);
    }
    assert.deepEqual((await engine.select("EXISTS TABLE t")).rows, [{ result: 1 }]);
  });

  it("reports failures with ClickHouse's codes", async () => {
    const insertLine = (table: string, line: string) =>
      engine.insert({ table, body: Buffer.from(line), format: "JSONEachRow" });
    const heavy = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1";
    const greedy = "SELECT length(groupArray(repeat(toString(number), 50))) FROM numbers(10000000)";
    const cases: Array<[run: () => Promise<unknown>, failure: object]> = [
      [() => engine.select("SELECT FROM WHERE"), { name: "EngineRefused", code: 62 }],
      [() => insertLine("nope", '{"a":1}'), { name: "EngineRefused", code: 60 }],
      [() => insertLine("t", '{"a":"x"}'), { name: "EngineRefused", code: 27 }],
      [() => engine.command("ALTER TABLE nope ADD COLUMN x UInt8"), { name: "EngineRefused", code: 60 }],
      [() => engine.select(heavy, { timeoutMs: 1_000 }), { name: "EngineBusy", message: /^Code: 159\./ }],
      [
        () => engine.select(greedy, { settings: { max_memory_usage: 50_000_000 } }),
        { name: "EngineBusy", message: /^Code: 241\./ },
      ],
    ];
    for (const [run, failure] of cases) await assert.rejects(run, failure);
    const stranger = connect({ ...server, password: "wrong" });
    await assert.rejects(stranger.select("SELECT 1"), { name: "EngineRefused", code: 516 });
    await stranger.ping();
    await stranger.close();
    const elsewhere = connect({ ...server, database: "nowhere" });
    await assert.rejects(elsewhere.select("SELECT 1"), { name: "EngineRefused", code: 81 });
    await elsewhere.close();
  });

  it("answers the next statement soon after a client disconnected from an endless one", async () => {
    const asked = engine.select(ENDLESS, { signal: AbortSignal.timeout(500) });
    await assert.rejects(asked, { name: "TimeoutError" });
    const startedAt = performance.now();
    assert.deepEqual((await engine.select("SELECT 1 AS one")).rows, [{ one: 1 }]);
    assert.ok(performance.now() - startedAt < 30_000);
  });

  it("stops a statement whose client disconnected", { skip: whyClickHouseLacks("observation") ?? false }, async () => {
    const running = async () => {
      const sql =
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%forsaken%' AND query NOT LIKE '%processes%'";
      return (await engine.select<{ n: number }>(sql)).rows[0]?.n ?? 0;
    };
    const stop = new AbortController();
    const reason = new Error("enough");
    const asked = engine.select(ENDLESS, { signal: stop.signal });
    asked.catch(() => undefined);
    await waitFor("the statement to run", async () => (await running()) === 1, 30_000);
    stop.abort(reason);
    await assert.rejects(asked, (cause) => cause === reason);
    await waitFor("its end", async () => (await running()) === 0, 30_000);
  });

  it("answers parallel statements correctly", async () => {
    const sql = "SELECT {i:UInt32} AS i, count() AS n FROM numbers({i:UInt32})";
    const answers = Array.from({ length: 8 }, async (_, i) => (await engine.select(sql, { params: { i } })).rows);
    for (const [i, data] of (await Promise.all(answers)).entries()) assert.deepEqual(data, [{ i, n: i }]);
  });

  it("has a database for each caller and removes it afterwards", async () => {
    const other = await startClickHouse();
    assert.notEqual(other.database, server.database);
    const client = connect(other);
    assert.deepEqual((await client.select("SHOW TABLES")).rows, []);
    await client.close();
    await other.stop();
    const sql = "SELECT count() AS n FROM system.databases WHERE name = {name:String}";
    assert.deepEqual((await engine.select(sql, { params: { name: other.database } })).rows, [{ n: 0 }]);
  });
});

function connect({ url, username, password, database }: Omit<TestClickHouse, "stop">): Clickhouse {
  const place = Object.assign(new URL(url), { username, password, pathname: database });
  return openDatabase({ url: place.href, queryMs: 120_000, queryMemoryBytes: 0, settings: {} });
}

function lines(values: readonly object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

/** UInt64, then a text of less than 128 bytes with its length before it. */
function rowBinary(a: bigint, b: string): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64LE(a);
  const text = Buffer.from(b);
  return Buffer.concat([number, Buffer.from([text.length]), text]);
}

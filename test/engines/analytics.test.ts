import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import {
  type AnalyticsEngine,
  connectAnalytics,
  EngineBusy,
  EngineDown,
  EngineRefused,
} from "../../src/engines/analytics.ts";
import { startTestEngine, type TestEngine, until } from "../support/engine.ts";

let test: TestEngine;
let engine: AnalyticsEngine;
before(async () => {
  test = await startTestEngine({ limits: { queryMemoryBytes: 200_000_000 } });
  engine = connect();
  await engine.command("CREATE DATABASE d", { useDatabase: false });
  await engine.command(
    "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100",
  );
});
after(async () => {
  await engine.close();
  await test.stop();
});

function connect(): AnalyticsEngine {
  const { username, password } = test.engine;
  return connectAnalytics({ url: () => test.engine.url(), username, password, database: "d" });
}

function rows(...values: object[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

describe("inserts and reads", () => {
  it("a buffer and a stream, with columns, and counts as numbers", async () => {
    const written = await engine.insert({
      table: "t",
      columns: ["a", "b"],
      body: rows({ a: 1, b: "x" }, { a: 2, b: "y" }),
    });
    assert.deepEqual(written, { writtenRows: 2 });
    await engine.insert({ table: "d.t", body: Readable.from([rows({ a: 3 }), rows({ a: 4 })], { objectMode: false }) });
    const answer = await engine.selectJson<{ n: number; s: number }>("SELECT count() AS n, sum(a) AS s FROM t");
    assert.deepEqual(answer.data, [{ n: 4, s: 10 }]);
    assert.deepEqual([answer.rows, answer.meta[0]?.type], [1, "UInt64"]);
  });

  it("a repeated dedupe token is accepted and stored once", async () => {
    await engine.command("TRUNCATE TABLE t");
    for (const a of [1, 2]) await engine.insert({ table: "t", body: rows({ a }), dedupeToken: "batch-1" });
    const { data } = await engine.selectJson("SELECT a FROM t");
    assert.deepEqual(data, [{ a: 1 }]);
  });

  it("parameters are bound", async () => {
    const sql = "SELECT {v:String} AS v, {c:Identifier} AS c FROM t LIMIT 1 -- the end";
    const { data } = await engine.selectJson(sql, { params: { v: "'; DROP TABLE t --", c: "a" } });
    assert.deepEqual(data, [{ v: "'; DROP TABLE t --", c: 1 }]);
  });

  it("rows stream in batches", async () => {
    let sum = 0;
    for await (const batch of engine.select<{ n: number }>("SELECT number AS n FROM numbers(200000)")) {
      for (const { n } of batch) sum += n;
    }
    assert.equal(sum, 19_999_900_000);
  });

  it("the engine's own JSON passes through as bytes", async () => {
    const { body, headers } = await engine.selectRaw("SELECT number AS n FROM numbers(3) ORDER BY n LIMIT 2");
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk);
    const answer = JSON.parse(Buffer.concat(chunks).toString());
    assert.deepEqual([answer.data, answer.rows_before_limit_at_least], [[{ n: 0 }, { n: 1 }], 3]);
    assert.match(String(headers["content-type"]), /^application\/json/);
  });

  it("a read cannot write", async () => {
    await assert.rejects(engine.selectJson("SELECT * FROM file('/etc/passwd', 'LineAsString')"), EngineRefused);
  });
});

describe("failures are one of three", () => {
  const heavy = "SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 1";
  const cases: Array<
    [name: string, run: () => Promise<unknown>, kind: typeof EngineBusy | typeof EngineRefused, code: number]
  > = [
    ["a syntax error", () => engine.selectJson("SELECT FROM WHERE"), EngineRefused, 62],
    ["an unknown table", () => engine.insert({ table: "nope", body: rows({ a: 1 }) }), EngineRefused, 60],
    ["bad data", () => engine.insert({ table: "t", body: Buffer.from('{"a":"x"}') }), EngineRefused, 27],
    ["a timeout", () => engine.selectJson(heavy, { settings: { max_execution_time: 0.2 } }), EngineBusy, 159],
    [
      "too much memory",
      () => engine.selectJson("SELECT length(groupArray(repeat(toString(number), 50))) FROM numbers(10000000)"),
      EngineBusy,
      241,
    ],
    ["a bad command", () => engine.command("ALTER TABLE nope ADD COLUMN x UInt8"), EngineRefused, 60],
  ];
  for (const [name, run, kind, code] of cases) {
    it(name, async () => {
      await assert.rejects(run, (cause: Error) => {
        assert.ok(cause instanceof kind, `${cause.name}: ${cause.message}`);
        assert.equal((cause as EngineBusy | EngineRefused).code, code);
        return true;
      });
    });
  }

  it("a failure after the first rows", async () => {
    const sql = "SELECT number AS n, throwIf(number = 100000) FROM numbers(200000)";
    const seen = async (): Promise<void> => {
      for await (const _ of engine.select(sql, { settings: { max_block_size: 1000 } })) {
        // Only the end matters.
      }
    };
    await assert.rejects(seen, { name: "EngineRefused", code: 395 });
  });

  it("an abort gives the caller's own reason and stops the query", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const running = engine.selectJson(heavy, { signal: stop.signal });
    stop.abort(reason);
    await assert.rejects(running, (cause) => cause === reason);
  });

  it("destroying a raw answer stops its query", async () => {
    const { body } = await engine.selectRaw("SELECT number AS raw_answer FROM numbers(100000000000)");
    body.destroy();
    await until("it is gone", async () => {
      const { data } = await engine.selectJson<{ n: number }>(
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%AS raw_answer%' AND query NOT LIKE '%processes%'",
      );
      return data[0]?.n === 0 ? true : undefined;
    });
  });

  it("nobody there", async () => {
    const nowhere = connectAnalytics({ url: () => "http://127.0.0.1:1", username: "u", password: "p", database: "d" });
    await assert.rejects(nowhere.selectJson("SELECT 1"), EngineDown);
    await assert.rejects(nowhere.ping(), EngineDown);
    await nowhere.close();
  });

  it("somebody who never answers", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as AddressInfo;
    const options = { username: "u", password: "p", database: "d", limits: { requestTimeoutMs: 200 } };
    const stuck = connectAnalytics({ url: () => `http://127.0.0.1:${port}`, ...options });
    await assert.rejects(stuck.selectJson("SELECT 1"), EngineBusy);
    await stuck.close();
    silent.closeAllConnections();
    silent.close();
  });
});

describe("a write", () => {
  it("asks any ClickHouse to have stored the rows before it answers, whatever the server's defaults", async () => {
    const asked: URLSearchParams[] = [];
    const server = createServer((request, response) => {
      asked.push(new URL(request.url ?? "", "http://x").searchParams);
      request.resume().on("end", () => response.end());
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const engine = connectAnalytics({
      url: () => `http://127.0.0.1:${port}`,
      username: "u",
      password: "p",
      database: "d",
    });
    await engine.insert({ table: "t", body: Buffer.from("{}") });
    await engine.command("INSERT INTO t SELECT 1");
    await engine.close();
    server.close();
    assert.equal(asked.length, 2);
    for (const settings of asked) {
      assert.equal(settings.get("async_insert"), "0");
      assert.equal(settings.get("distributed_foreground_insert"), "1");
    }
  });
});

describe("a restart of the engine", () => {
  it("is EngineDown while it lasts; afterwards idle sockets cause no failure", async () => {
    await Promise.all(Array.from({ length: 8 }, () => engine.selectJson("SELECT 1")));
    const restarts = test.engine.status().restarts;
    process.kill(test.engine.status().pid ?? 0, "SIGKILL");
    await until("it is seen as down", async () => {
      try {
        await engine.ping();
        return undefined;
      } catch (cause) {
        assert.ok(cause instanceof EngineDown);
        return true;
      }
    });
    await until("it is back", () => {
      const status = test.engine.status();
      return status.restarts > restarts && status.state === "ready" ? true : undefined;
    });
    await Promise.all(Array.from({ length: 8 }, () => engine.selectJson("SELECT 1")));
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Clickhouse, openDatabase } from "../../../src/engines/clickhouse/database.ts";
import { Tuple } from "../../../src/engines/clickhouse/params.ts";
import { EngineBusy, EngineDown, EngineRefused } from "../../../src/engines/failures.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

const rows = (data: unknown[][]) =>
  JSON.stringify({
    meta: [{ name: "a" }, { name: "b" }],
    data,
    statistics: { elapsed: 0.5, rows_read: 3, bytes_read: 40 },
  });

describe("the ClickHouse client", () => {
  let server: Server;
  let clickhouse: Clickhouse;
  let answer: Answer;
  let asked: { query: URLSearchParams; body: Buffer; headers: IncomingMessage["headers"] }[];

  before(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        asked.push({ query: new URL(request.url ?? "", "http://x").searchParams, body, headers: request.headers });
        answer(request, response, body);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `http://us%40er:pass@127.0.0.1:${port}/warehouse`;
    clickhouse = openDatabase({
      url,
      queryMs: 5_000,
      queryMemoryBytes: 1_000,
      settings: { load_balancing: "in_order" },
    });
  });
  after(async () => {
    await clickhouse.close();
    server.close();
  });
  beforeEach(() => {
    asked = [];
  });

  test("returns rows by name, and runs reads as read-only with a time limit", async () => {
    answer = (_, response) => response.end(rows([[1, "x"]]));
    const params = { p: "a'\t\\", list: ["x", "y'"], pairs: [new Tuple("p", "2026-01-01")], unnamed: "no" };
    const sql = "SELECT {p:String}, {list:Array(String)}, {pairs:Array(Tuple(String, Date))}";
    const found = await clickhouse.select(sql, { params, timeoutMs: 1_500 });
    assert.deepEqual(found, { rows: [{ a: 1, b: "x" }], statistics: { elapsed: 0.5, rows_read: 3, bytes_read: 40 } });
    const [{ query, body, headers } = assert.fail()] = asked;
    assert.equal(body.toString(), `${sql}\nFORMAT JSONCompact`);
    assert.equal(headers.authorization, `Basic ${Buffer.from("us@er:pass").toString("base64")}`);
    assert.deepEqual(
      ["database", "readonly", "max_execution_time", "max_memory_usage", "load_balancing"].map((name) =>
        query.get(name),
      ),
      ["warehouse", "1", "2", "1000", "in_order"],
    );
    assert.equal(query.get("param_p"), "a\\'\\t\\\\");
    assert.equal(query.get("param_list"), "['x','y\\'']");
    assert.equal(query.get("param_pairs"), "[('p','2026-01-01')]");
    assert.equal(query.get("param_unnamed"), null);
  });

  test("puts parameters that are too long for a URL into the statement", async () => {
    answer = (_, response) => response.end(rows([]));
    const many = Array.from({ length: 20_000 }, (_, nth) => `v'${nth}`);
    await clickhouse.select("SELECT {many:Array(String)}", { params: { many } });
    const [{ query, body } = assert.fail()] = asked;
    assert.equal(query.get("param_many"), null);
    assert.ok(body.toString().startsWith("SELECT CAST('[\\'v\\\\\\'0\\',"));
    assert.ok(Number(query.get("max_query_size")) > body.length);
  });

  test("sends rows unchanged, with a token, and waits until they are stored", async () => {
    answer = (_, response) => response.end();
    const body = Buffer.from([1, 0, 255]);
    await clickhouse.insert({ table: "t", columns: ["a", "b"], body, format: "RowBinary", dedupeToken: "n:1" });
    const [{ query, body: sent } = assert.fail()] = asked;
    assert.deepEqual(sent, body);
    assert.equal(query.get("query"), "INSERT INTO t (a, b) FORMAT RowBinary");
    assert.deepEqual(
      ["insert_deduplication_token", "async_insert", "distributed_foreground_insert"].map((name) => query.get(name)),
      ["n:1", "0", "1"],
    );
  });

  const failures: [
    name: string,
    status: number,
    text: string,
    kind: typeof EngineDown | typeof EngineBusy | typeof EngineRefused,
  ][] = [
    ["a wrong statement", 400, "Code: 62. DB::Exception: Syntax error", EngineRefused],
    ["a limit of memory", 500, "Code: 241. DB::Exception: Memory limit exceeded", EngineBusy],
    ["a limit of time", 500, "Code: 159. DB::Exception: Timeout exceeded", EngineBusy],
    ["a server without its Keeper", 500, "Code: 242. DB::Exception: Table is in readonly mode", EngineDown],
    ["a proxy's page", 502, "<html>Bad gateway</html>", EngineDown],
  ];
  for (const [name, status, text, kind] of failures) {
    test(`reports the kind of a failure: ${name}`, async () => {
      answer = (_, response) => response.writeHead(status).end(text);
      await assert.rejects(clickhouse.select("SELECT 1"), kind);
      await assert.rejects(clickhouse.command("DROP TABLE t"), kind);
    });
  }

  test("detects an exception after the first rows", async () => {
    answer = (_, response) => {
      response.setHeader("x-clickhouse-exception-tag", "abc");
      response.end(
        '{"meta":[__exception__\r\nabc\r\nCode: 241. DB::Exception: Memory limit exceeded\r\n50 abc\r\n__exception__\r\n',
      );
    };
    await assert.rejects(clickhouse.select("SELECT 1"), { name: "EngineBusy", message: /Memory limit/ });
  });

  test("repeats a read whose socket was closed, and never repeats a write", async () => {
    let cuts = 1;
    answer = (request, response) => {
      cuts -= 1;
      if (cuts >= 0) request.socket.destroy();
      else response.end(rows([]));
    };
    await clickhouse.select("SELECT 1");
    assert.equal(asked.length, 2);
    cuts = 1;
    await assert.rejects(clickhouse.command("ALTER TABLE t DELETE WHERE 1"), EngineDown);
    assert.equal(asked.length, 3);
  });

  test("rejects with the reason of the abort signal", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    answer = () => stop.abort(reason);
    await assert.rejects(clickhouse.select("SELECT 1", { signal: stop.signal }), (cause) => cause === reason);
    await assert.rejects(
      clickhouse.insert({ table: "t", body: Buffer.alloc(0), format: "JSONEachRow" }, stop.signal),
      (cause) => cause === reason,
    );
  });

  test("reports a server that does not listen as unavailable", async () => {
    const nobody = openDatabase({ url: "http://127.0.0.1:9", queryMs: 1_000, queryMemoryBytes: 0, settings: {} });
    await assert.rejects(nobody.ping(), EngineDown);
    await assert.rejects(nobody.select("SELECT 1"), EngineDown);
    await nobody.close();
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  type AnalyticsEngine,
  type AnalyticsLimits,
  connectAnalytics,
  EngineBusy,
  EngineDown,
  EngineRefused,
  tuple,
} from "../../src/engines/analytics.ts";
import { INJECTIONS } from "../query/injections.ts";
import { startTestEngine, until } from "../support/engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";

describe("parameters of a read", () => {
  it("come back as they were, alone, in an array and in a tuple", { skip: whyNoClickHouse() ?? false }, async () => {
    const test = await startTestEngine({});
    const { username, password } = test.engine;
    const engine = connectAnalytics({ url: () => test.engine.url(), username, password, database: "default" });
    const texts = [...INJECTIONS, "", "a\tb\nc\r\nd", "\\N", "'", "\\", "é😀", "a+b&c=d%20?#"].filter(
      (each) => !each.includes("\0"),
    );
    const sql = "SELECT {one:String} AS one, {all:Array(String)} AS all, {pairs:Array(Tuple(String, UInt64))} AS pairs";
    for (const one of texts) {
      const pairs = [tuple(one, 7), tuple("x", 0)];
      const { data } = await engine.selectJson(sql, { params: { one, all: texts, pairs } });
      const expected = [
        [one, 7],
        ["x", 0],
      ];
      assert.deepEqual(data, [{ one, all: texts, pairs: expected }]);
    }
    await engine.close();
    await test.stop();
  });

  it("come back as they were where they are too long for a field of a URL", {
    skip: whyNoClickHouse() ?? false,
  }, async () => {
    const test = await startTestEngine({});
    const { username, password } = test.engine;
    const engine = connectAnalytics({ url: () => test.engine.url(), username, password, database: "default" });
    const texts = INJECTIONS.filter((each) => !each.includes("\0"));
    const all = Array.from({ length: 5_000 }, (_, i) => `${i} ${texts[i % texts.length]}`);
    const numbers = Array.from({ length: 20_000 }, (_, i) => 1_700_000_000_000 + i);
    const pairs = all.map((_, i) => tuple(`p ${i}'`, "2026-01-31"));
    const sql = `SELECT {all:Array(String)} AS all, {numbers:Array(UInt64)} AS numbers, {one:String} AS one,
      length({pairs:Array(Tuple(String, Date))}) AS pairs,
      has({pairs:Array(Tuple(String, Date))}, tuple(concat('p 2', char(39)), toDate('2026-01-31'))) AS has`;
    const { data } = await engine.selectJson(sql, { params: { all, numbers, pairs, one: "{all:Array(String)}" } });
    assert.deepEqual(data, [{ all, numbers, one: "{all:Array(String)}", pairs: 5_000, has: 1 }]);
    await engine.close();
    await test.stop();
  });

  it("of a type that nobody binds are a bug", async () => {
    const engine = connectAnalytics({ url: () => "http://127.0.0.1:1", username: "u", password: "p", database: "d" });
    for (const value of [null, undefined, Number.NaN, new Date(), new Map(), {}])
      await assert.rejects(engine.selectJson("SELECT 1", { params: { value } }), TypeError);
    await engine.close();
  });
});

describe("a read of any ClickHouse", () => {
  /** Answers as each test says. */
  let answer: (response: ServerResponse) => void;
  let asked: { url: URL; headers: IncomingMessage["headers"]; body: string; fromPort: number | undefined }[];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? "", "http://x");
      asked.push({ url, headers: request.headers, body, fromPort: request.socket.remotePort });
      answer(response);
    });
  });
  const opened: AnalyticsEngine[] = [];
  before(() => once(server.listen(0, "127.0.0.1"), "listening"));
  beforeEach(() => {
    asked = [];
  });
  after(async () => {
    for (const engine of opened) await engine.close();
    server.closeAllConnections();
    server.close();
  });

  function connect(limits: Partial<AnalyticsLimits> = {}, path = ""): AnalyticsEngine {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}${path}`;
    const options = { username: "us:er", password: "pä", database: "d", settings: { max_threads: 2 }, limits };
    const engine = connectAnalytics({ url: () => url, ...options });
    opened.push(engine);
    return engine;
  }

  it("has no field above what a server takes, however many builds a report rests on", async () => {
    answer = (response) => response.end(JSON_ANSWER);
    const builds = Array.from({ length: 20_000 }, (_, i) => 1_700_000_000_000 + i);
    await connect().selectJson("SELECT 1 WHERE 1 IN {builds:Array(UInt64)}", { params: { builds, few: [1, 2] } });
    const { url, body } = asked.at(-1) ?? assert.fail("nobody asked");
    assert.ok(url.search.length < 1_000);
    assert.equal(url.searchParams.get("param_few"), "[1,2]");
    assert.ok(Number(url.searchParams.get("max_query_size")) > body.length);
    assert.match(body, /^SELECT 1 WHERE 1 IN CAST\(\[1700000000000,[\d,]+\], 'Array\(UInt64\)'\)\nFORMAT JSON$/);
  });

  const JSON_ANSWER = '{"data":[{"n":1}],"rows":1}';

  it("is one POST with the statement as a body of known length", async () => {
    answer = (response) => response.end(JSON_ANSWER);
    const engine = connect({ querySeconds: 7, queryMemoryBytes: 5 }, "/behind/proxy");
    await engine.selectJson("SELECT {n:UInt8}", { params: { n: 1 }, settings: { max_block_size: 3 } });
    await engine.ping();
    const [read, ping] = asked;
    assert.equal(read?.body, "SELECT {n:UInt8}\nFORMAT JSON");
    assert.equal(read?.headers["content-length"], String(read?.body.length));
    assert.equal(read?.headers.authorization, `Basic ${Buffer.from("us:er:pä").toString("base64")}`);
    assert.equal(read?.headers["user-agent"], "sextant");
    assert.equal(read?.url.pathname, "/behind/proxy");
    assert.deepEqual(Object.fromEntries(read?.url.searchParams ?? []), {
      param_n: "1",
      max_threads: "2",
      max_block_size: "3",
      database: "d",
      max_execution_time: "7",
      max_memory_usage: "5",
      output_format_json_quote_64bit_integers: "0",
      readonly: "1",
    });
    assert.equal(ping?.url.pathname, "/behind/proxy/ping");
  });

  it("that is repeated with the same object of parameters is the same, and another one is not", async () => {
    answer = (response) => response.end(JSON_ANSWER);
    const engine = connect();
    const [params, settings] = [{ n: 1 }, { max_block_size: 3 }];
    for (const [sql, options] of [
      ["SELECT {n:UInt8}", { params, settings }],
      ["SELECT {n:UInt8}", { params, settings }],
      ["SELECT {n:UInt8}, 2", { params, settings }],
      ["SELECT {n:UInt8}", { params, settings: { max_block_size: 4 } }],
      ["SELECT {n:UInt8}", { params, settings, useDatabase: false }],
      ["SELECT {n:UInt8}", { params: { n: 2 }, settings }],
    ] as const)
      await engine.selectJson(sql, options);
    const seen = asked.map(({ url, body }) => {
      const of = (name: string) => url.searchParams.get(name);
      return [body.split("\n")[0], of("param_n"), of("max_block_size"), of("database")];
    });
    assert.deepEqual(seen, [
      ["SELECT {n:UInt8}", "1", "3", "d"],
      ["SELECT {n:UInt8}", "1", "3", "d"],
      ["SELECT {n:UInt8}, 2", "1", "3", "d"],
      ["SELECT {n:UInt8}", "1", "4", "d"],
      ["SELECT {n:UInt8}", "1", "3", null],
      ["SELECT {n:UInt8}", "2", "3", "d"],
    ]);
  });

  it("can be taken whole once all of it is here, and not before", async () => {
    const waiting: ServerResponse[] = [];
    answer = (response) => {
      response.write("{");
      waiting.push(response);
    };
    const engine = connect();
    const early = await engine.selectRaw("SELECT 1");
    assert.equal(early.body.takeWhole?.(), undefined);
    waiting[0]?.end("}");
    assert.equal(await text(early.body), "{}");

    const late = await engine.selectRaw("SELECT 1");
    const ended = once(late.body, "end");
    waiting[1]?.end("}");
    const taken = await until("all of it is here", () => late.body.takeWhole?.());
    assert.equal(taken.toString(), "{}");
    await ended;
    assert.equal(late.body.takeWhole?.(), undefined, "it is taken once");
  });

  it("that fails with a status is refused with ClickHouse's code, or down when something else answers", async () => {
    answer = (response) => {
      response.writeHead(404, { "X-ClickHouse-Exception-Code": "60" });
      response.end("Code: 60. DB::Exception: Unknown table expression identifier 'x'. (UNKNOWN_TABLE) (version 25.8)");
    };
    await assert.rejects(connect().selectJson("SELECT 1"), (cause) => {
      assert.ok(cause instanceof EngineRefused);
      assert.equal(cause.code, 60);
      return true;
    });
    answer = (response) => response.writeHead(502).end("<html>Bad gateway</html>");
    await assert.rejects(connect().selectJson("SELECT 1"), EngineDown);
  });

  it("that fails among its first rows is a failure of the rows, not an end", async () => {
    answer = (response) => {
      response.writeHead(200, { "X-ClickHouse-Exception-Tag": "tag" });
      response.write('{"n":1}\n');
      response.write(
        "\r\n__exception__\r\ntag\r\nCode: 241. DB::Exception: Too much. (MEMORY_LIMIT_EXCEEDED)\n9 tag\r\n",
      );
      response.socket?.end();
    };
    const seen = async (): Promise<void> => {
      for await (const _ of connect().select("SELECT 1")) {
        // Only the end matters.
      }
    };
    await assert.rejects(seen, (cause) => {
      assert.ok(cause instanceof EngineBusy);
      assert.equal(cause.code, 241);
      return true;
    });
  });

  it("that breaks off is down", async () => {
    answer = (response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("{", () => response.destroy());
    };
    await assert.rejects(connect().selectJson("SELECT 1"), EngineDown);
  });

  it("that stops in the middle is busy after the request timeout", async () => {
    answer = (response) => response.writeHead(200, { "Content-Length": 100 }).write("{");
    await assert.rejects(connect({ requestTimeoutMs: 100 }).selectJson("SELECT 1"), EngineBusy);
  });

  it("is sent again when the connection is cut before an answer, once", async () => {
    let cuts = 1;
    answer = (response) => {
      cuts -= 1;
      if (cuts >= 0) response.destroy();
      else response.end(JSON_ANSWER);
    };
    const { data } = await connect().selectJson("SELECT 1");
    assert.deepEqual([data, asked.length], [[{ n: 1 }], 2]);
    cuts = 2;
    await assert.rejects(connect().selectJson("SELECT 1"), EngineDown);
    assert.equal(asked.length, 4);
  });

  it("that is aborted ends its connection, before the answer and in the middle of it", async () => {
    for (const first of ["", "{"]) {
      const reason = new Error("enough");
      const stop = new AbortController();
      const gone = Promise.withResolvers<void>();
      answer = (response) => {
        response.once("close", gone.resolve);
        if (first === "") stop.abort(reason);
        else response.write(first, () => setImmediate(() => stop.abort(reason)));
      };
      await assert.rejects(connect().selectJson("SELECT 1", { signal: stop.signal }), (cause) => cause === reason);
      await gone.promise;
    }
    const before = asked.length;
    await assert.rejects(connect().selectJson("SELECT 1", { signal: AbortSignal.abort(new Error("early")) }), /early/);
    assert.equal(asked.length, before);
  });

  it("waits for one of a bounded number of connections", async () => {
    const open: ServerResponse[] = [];
    answer = (response) => void open.push(response);
    const engine = connect({ connections: 2 });
    const reads = [1, 2, 3].map(() => engine.selectJson("SELECT 1"));
    await until("two are asked", () => open.length === 2 || undefined);
    open.shift()?.end(JSON_ANSWER);
    await until("the third is asked", () => asked.length === 3 || undefined);
    assert.equal(new Set(asked.map(({ fromPort }) => fromPort)).size, 2);
    for (const response of open) response.end(JSON_ANSWER);
    await Promise.all(reads);
  });

  it("does not take more than its reader does", async () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const total = 400;
    let written = 0;
    let isFull = false;
    answer = (response) => {
      const write = () => {
        while (written < total) {
          written += 1;
          if (!response.write(chunk)) {
            isFull = true;
            response.once("drain", write);
            return;
          }
        }
        response.end();
      };
      write();
    };
    const { body } = await connect().selectRaw("SELECT 1");
    let before = -1;
    await until("the server waits", () => {
      const isStill = isFull && written === before;
      before = written;
      return isStill || undefined;
    });
    assert.ok(written < total, "25 MB are more than sockets hold");
    let read = 0;
    for await (const part of body) read += part.length;
    assert.equal(read, total * chunk.length);
  });

  it("goes where the engine has moved to, while an answer from before still comes", async () => {
    const { port } = server.address() as AddressInfo;
    let host = "127.0.0.1";
    const held: ServerResponse[] = [];
    answer = (response) => {
      response.write('{"n":1}\n');
      held.push(response);
    };
    const options = { username: "u", password: "p", database: "d" };
    const engine = connectAnalytics({ url: () => `http://${host}:${port}`, ...options });
    opened.push(engine);
    const { body } = await engine.selectRaw("SELECT 1");
    host = "localhost";
    answer = (response) => response.end(JSON_ANSWER);
    assert.deepEqual((await engine.selectJson("SELECT 1")).data, [{ n: 1 }]);
    held[0]?.end('{"n":2}\n');
    assert.equal(await text(body), '{"n":1}\n{"n":2}\n');
  });
});

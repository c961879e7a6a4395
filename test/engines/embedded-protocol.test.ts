import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { type Call, startTestEngine, type TestEngine } from "../support/engine.ts";

let test: TestEngine;
before(async () => {
  test = await startTestEngine({ limits: { insertBytes: 4_000_000 } });
  await post("CREATE DATABASE d");
  await post("CREATE TABLE d.t (a UInt64, b String) ENGINE = MergeTree ORDER BY a");
});
after(() => test.stop());

async function post(sql: string, call: Call = {}): Promise<string> {
  const answer = await test.ask({ ...call, body: sql });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

async function rowsAfter(call: Call): Promise<string> {
  await post("TRUNCATE TABLE d.t");
  const answer = await test.ask({ method: "POST", ...call });
  assert.equal(answer.status, 200, answer.text);
  return post("SELECT a, b FROM d.t ORDER BY a FORMAT CSV");
}

describe("liveness needs no password", () => {
  for (const path of ["/ping", "/", "/replicas_status"]) {
    it(path, async () => {
      const answer = await test.ask({ path, anonymous: true });
      assert.deepEqual([answer.status, answer.text], [200, "Ok.\n"]);
    });
  }
});

describe("authentication", () => {
  const basic = (user: string, key: string) => `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`;
  const ways: Array<[name: string, call: () => Call]> = [
    ["basic", () => ({ headers: { Authorization: basic(test.engine.username, test.engine.password) } })],
    [
      "headers",
      () => ({ headers: { "X-ClickHouse-User": test.engine.username, "X-ClickHouse-Key": test.engine.password } }),
    ],
    ["URL", () => ({ params: { user: test.engine.username, password: test.engine.password } })],
  ];
  for (const [name, call] of ways) {
    it(`${name} is accepted`, async () => {
      assert.equal((await test.ask({ query: "SELECT 1", anonymous: true, ...call() })).text, "1\n");
    });
  }
  const wrong: Array<[name: string, call: () => Call]> = [
    ["nothing", () => ({})],
    ["a wrong password", () => ({ headers: { Authorization: basic(test.engine.username, "x") } })],
    ["a wrong user", () => ({ headers: { Authorization: basic("x", test.engine.password) } })],
    ["an empty key", () => ({ headers: { "X-ClickHouse-User": test.engine.username } })],
    ["no base64", () => ({ headers: { Authorization: "Basic ***" } })],
  ];
  for (const [name, call] of wrong) {
    it(`${name} is 403 with code 516`, async () => {
      const answer = await test.ask({ query: "SELECT 1", anonymous: true, ...call() });
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get("x-clickhouse-exception-code"), "516");
      assert.match(answer.text, /^Code: 516\. DB::Exception: .*\(AUTHENTICATION_FAILED\)/);
    });
  }
});

describe("queries", () => {
  const cases: Array<[name: string, call: Call, text: string | RegExp]> = [
    ["GET", { query: "SELECT 1" }, "1\n"],
    ["POST in the body", { body: "SELECT 1" }, "1\n"],
    ["POST with the statement in the URL", { query: "SELECT 1", method: "POST" }, "1\n"],
    ["a statement begun in the URL and ended in the body", { query: "SELECT", body: "1 + 1" }, "2\n"],
    ["a comment at the end", { body: "SELECT 1 -- ; x" }, "1\n"],
    ["comments that nest", { body: "SELECT /* /* ; */ */ 1 /*/ */ /**/" }, "1\n"],
    ["typographic quotes", { body: "SELECT ‘a;b’ AS “c;d”" }, "a;b\n"],
    ["a heredoc", { body: "SELECT $x$ ; $y$ ; $x$" }, " ; $y$ ; \n"],
    ["the default format of the URL", { body: "SELECT 1", params: { default_format: "CSVWithNames" } }, '"1"\n1\n'],
    [
      "the format of the header",
      { body: "SELECT 1 AS a", headers: { "X-ClickHouse-Format": "JSONEachRow" } },
      '{"a":1}\n',
    ],
    ["FORMAT wins over the URL", { body: "SELECT 1 FORMAT CSV", params: { default_format: "JSON" } }, "1\n"],
    ["settings of the URL", { body: "SELECT getSetting('max_threads')", params: { max_threads: "3" } }, "3\n"],
    [
      "a text setting",
      { body: "SELECT getSetting('log_comment')", params: { log_comment: "it's \\ ok" } },
      "it\\'s \\\\ ok\n",
    ],
    [
      "HTTP-only parameters are no settings",
      { body: "SELECT 1", params: { wait_end_of_query: "1", buffer_size: "9" } },
      "1\n",
    ],
    ["the database of the URL", { body: "SELECT currentDatabase()", params: { database: "d" } }, "d\n"],
    [
      "the database of the header",
      { body: "SELECT currentDatabase()", headers: { "X-ClickHouse-Database": "d" } },
      "d\n",
    ],
    ["a session id is taken and means nothing", { body: "SELECT 1", params: { session_id: "s" } }, "1\n"],
    ["SHOW", { body: "SHOW TABLES FROM d" }, "t\n"],
    ["EXISTS", { body: "EXISTS TABLE d.t" }, "1\n"],
    ["DESCRIBE", { body: "DESCRIBE TABLE d.t" }, /^a\tUInt64/],
    ["EXPLAIN", { body: "EXPLAIN SELECT 1" }, /./],
    ["UNION in brackets", { body: "(SELECT 1) UNION ALL (SELECT 1)" }, "1\n1\n"],
    ["WITH", { body: "WITH 2 AS x SELECT x" }, "2\n"],
    ["no rows", { body: "SELECT 1 WHERE 0" }, ""],
    ["FORMAT Null", { body: "SELECT 1 FORMAT Null" }, ""],
    ["a parameter", { body: "SELECT {a:UInt8} + 1", params: { param_a: "2" } }, "3\n"],
    [
      "an identifier parameter",
      { body: "SELECT {c:Identifier} FROM numbers(1)", params: { param_c: "number" } },
      "0\n",
    ],
    [
      "an array parameter",
      { body: "SELECT {a:Array(String)}", params: { param_a: "['it\\'s','b']" } },
      "['it\\'s','b']\n",
    ],
    ["a NULL parameter", { body: "SELECT {a:Nullable(String)} IS NULL", params: { param_a: "\\N" } }, "1\n"],
    ["binary", { body: "SELECT 1 FORMAT RowBinary" }, "\x01"],
  ];
  for (const [name, call, text] of cases) {
    it(name, async () => {
      const answer = await test.ask(call);
      assert.equal(answer.status, 200, answer.text);
      if (typeof text === "string") assert.equal(answer.text, text);
      else assert.match(answer.text, text);
    });
  }

  it("parameters in a form, as the client sends long ones", async () => {
    const form = new FormData();
    form.set("query", "SELECT length({a:String})");
    form.set("param_a", "x".repeat(300_000));
    const headers = { "X-ClickHouse-User": test.engine.username, "X-ClickHouse-Key": test.engine.password };
    const response = await fetch(test.engine.url(), { method: "POST", body: form, headers });
    assert.equal(await response.text(), "300000\n");
  });

  it("state of one request never reaches another", async () => {
    await post("SELECT 1", { params: { max_threads: "7", readonly: "1", param_a: "9", database: "d" } });
    const seen = await post("SELECT getSetting('max_threads') = 7, getSetting('readonly'), currentDatabase()");
    assert.equal(seen, "0\t0\tdefault\n");
    const answer = await test.ask({ body: "SELECT {a:UInt8}" });
    assert.equal(answer.headers.get("x-clickhouse-exception-code"), "456");
    await test.ask({ body: "SELECT throwIf(number = 5000) FROM numbers(10000)" });
    assert.equal(await post("SELECT 2"), "2\n");
  });
});

describe("response headers", () => {
  it("name the query, the format and what was done", async () => {
    const { headers } = await test.ask({
      body: "SELECT number FROM numbers(3) FORMAT JSON",
      params: { query_id: "q-1" },
    });
    assert.equal(headers.get("x-clickhouse-query-id"), "q-1");
    assert.equal(headers.get("x-clickhouse-format"), "JSON");
    assert.equal(headers.get("x-clickhouse-timezone"), "UTC");
    assert.equal(headers.get("x-clickhouse-server-display-name"), "sextant");
    assert.match(headers.get("content-type") ?? "", /^application\/json/);
    const summary: Record<string, string> = JSON.parse(headers.get("x-clickhouse-summary") ?? "{}");
    for (const value of Object.values(summary)) assert.match(value, /^\d+$/);
    assert.deepEqual(
      [summary.read_rows, summary.result_rows, Object.keys(summary).sort().join()],
      [
        "3",
        "3",
        "elapsed_ns,read_bytes,read_rows,result_bytes,result_rows,total_rows_to_read,written_bytes,written_rows",
      ],
    );
  });

  it("a query id with a line end is replaced", async () => {
    const { headers } = await test.ask({ body: "SELECT 1", params: { query_id: "a\r\nX-Evil: 1" } });
    assert.match(headers.get("x-clickhouse-query-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(headers.get("x-evil"), null);
  });
});

describe("exceptions have ClickHouse's code and status", () => {
  const cases: Array<[name: string, call: Call, status: number, code: string]> = [
    ["syntax", { body: "SELEC 1" }, 400, "62"],
    ["several statements", { body: "SELECT 1; SELECT 2" }, 400, "62"],
    ["unknown table", { body: "SELECT * FROM nope" }, 404, "60"],
    ["unknown column", { body: "SELECT nope" }, 404, "47"],
    ["unknown database", { body: "SELECT 1", params: { database: "nope" } }, 404, "81"],
    ["unknown setting", { body: "SELECT 1", params: { nope_setting: "1" } }, 404, "115"],
    ["a setting's name with SQL in it", { body: "SELECT 1", params: { "a=1; DROP TABLE d.t": "1" } }, 404, "115"],
    ["unknown format", { body: "SELECT 1 FORMAT Nope" }, 404, "73"],
    ["a format with SQL in it", { body: "SELECT 1", params: { default_format: "CSV; DROP TABLE d.t" } }, 404, "73"],
    ["unknown role", { body: "SELECT 1", params: { role: "r" } }, 404, "511"],
    ["native compression", { body: "SELECT 1", params: { compress: "1" } }, 501, "48"],
    ["unknown path", { path: "/nope", query: "SELECT 1" }, 501, "48"],
    ["division of types", { body: "SELECT toDate('x')" }, 400, "38"],
    ["data that is no JSON", { query: "INSERT INTO d.t FORMAT JSONEachRow", body: "{{" }, 400, "26"],
    ["an unknown target", { query: "INSERT INTO d.nope FORMAT JSONEachRow", body: '{"a":1}' }, 404, "60"],
    ["an unknown target without rows", { query: "INSERT INTO d.nope FORMAT JSONEachRow", method: "POST" }, 404, "60"],
    ["a body above the limit", { query: "INSERT INTO d.t FORMAT TSV", body: "x".repeat(4_000_001) }, 413, "307"],
    ["a statement above the limit", { body: `SELECT 1 /*${"x".repeat(1_100_000)}*/` }, 400, "62"],
    [
      "a truncated gzip",
      { body: gzipSync("SELECT 1").subarray(0, 12), headers: { "Content-Encoding": "gzip" } },
      500,
      "271",
    ],
    ["an unknown encoding", { body: "SELECT 1", headers: { "Content-Encoding": "lzma" } }, 500, "89"],
    ["an exception in the rows", { body: "SELECT throwIf(number = 9) FROM numbers(10)" }, 500, "395"],
    ["KILL SYNC", { body: "KILL QUERY WHERE 0 SYNC" }, 501, "48"],
  ];
  for (const [name, call, status, code] of cases) {
    it(`${name}: ${status}, ${code}`, async () => {
      const answer = await test.ask(call);
      assert.deepEqual([answer.status, answer.headers.get("x-clickhouse-exception-code")], [status, code], answer.text);
      assert.match(answer.text, new RegExp(`^Code: ${code}\\. DB::Exception: .*\\([A-Z_]+\\)`, "s"));
      assert.doesNotMatch(answer.text, /in file\/uri|spool|out-\d|in-\d/);
    });
  }
});

describe("readonly=1 reaches nothing outside of the engine", () => {
  const statements = [
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT file('/etc/passwd')",
    "SELECT `file` /**/ ('/etc/passwd')",
    "SELECT \"file\"('/etc/passwd')",
    "SELECT * FROM `url`('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1:1', system.one)",
    "SELECT * FROM s3('http://127.0.0.1:1/a/b', 'TSV', 'a String')",
    "SELECT * FROM sqlite('/etc/passwd', 'x')",
    "SELECT * FROM executable('x', 'TSV', 'a String')",
    "SELECT * FROM `/etc/passwd`",
    "SELECT * FROM default.`/etc/passwd`",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM {path:Identifier}",
    "SELECT 1 INTO OUTFILE 'x'",
    "INSERT INTO d.t VALUES (1, 'x')",
    "INSERT INTO FUNCTION file('x', 'TSV', 'a UInt8') SELECT 1",
    "CREATE TABLE d.x (a UInt8) ENGINE = Memory",
    "CREATE TEMPORARY TABLE x (a UInt8)",
    "DROP TABLE d.t",
    "KILL QUERY WHERE 1 ASYNC",
    "SET readonly = 0",
    "SELECT 1 SETTINGS readonly = 0",
    "SYSTEM FLUSH LOGS",
    "BACKUP TABLE d.t TO File('x')",
  ];
  for (const sql of statements) {
    it(sql, async () => {
      const answer = await test.ask({ body: sql, params: { readonly: "1", param_path: "/etc/passwd" } });
      assert.notEqual(answer.status, 200, answer.text);
      assert.doesNotMatch(answer.text, /[r]oot:/);
    });
  }
  it("a GET is readonly by itself", async () => {
    const answer = await test.ask({ query: "CREATE TABLE d.x (a UInt8) ENGINE = Memory" });
    assert.equal(answer.headers.get("x-clickhouse-exception-code"), "164");
  });
  it("what stays inside still works", async () => {
    const text = await post("SELECT count() FROM (SELECT format('{}', a) FROM d.t) SETTINGS max_threads = 1", {
      params: { readonly: "2" },
    });
    assert.match(text, /^\d+\n$/);
  });
});

describe("inserts", () => {
  const url = "INSERT INTO d.t FORMAT JSONEachRow";
  const rows = '{"a":1,"b":"x"}\n{"a":2,"b":"é\\n;"}\n';
  const csv = '1,"x"\n2,"é\n;"\n';
  const cases: Array<[name: string, call: Call, csv: string]> = [
    ["rows in the body", { query: url, body: rows }, csv],
    ["statement and rows in the body", { body: `${url}\n${rows}` }, csv],
    ["statement, blank and rows in one line", { body: `${url} {"a":1,"b":"x"}` }, '1,"x"\n'],
    ["VALUES in the body", { body: "INSERT INTO d.t VALUES (1, 'x'), (2, 'é\\n;')" }, csv],
    ["VALUES begun in the URL", { query: "INSERT INTO d.t VALUES", body: "(1, 'x'), (2, 'é\\n;')" }, csv],
    ["VALUES in the URL alone", { query: "INSERT INTO d.t VALUES (1, 'x')" }, '1,"x"\n'],
    ["no format: Values", { query: "INSERT INTO d.t", body: "(1, 'x')" }, '1,"x"\n'],
    [
      "no format: the default one",
      { query: "INSERT INTO d.t", body: "1,x", params: { default_format: "CSV" } },
      '1,"x"\n',
    ],
    ["columns in another order", { query: "INSERT INTO d.t (b, a) FORMAT TSV", body: "x\t1\n" }, '1,"x"\n'],
    [
      "SETTINGS in the statement",
      { query: "INSERT INTO d.t SETTINGS max_threads = 1 FORMAT TSV", body: "1\tx\n" },
      '1,"x"\n',
    ],
    [
      "the database of the URL",
      { query: "INSERT INTO t FORMAT TSV", body: "1\tx\n", params: { database: "d" } },
      '1,"x"\n',
    ],
    ["from a query", { body: "INSERT INTO d.t SELECT 1, 'x'" }, '1,"x"\n'],
    ["blank lines between rows", { query: url, body: '{"a":1}\n\n\n{"a":2}\n\n' }, '1,""\n2,""\n'],
    ["a blank line in a CSV field", { query: "INSERT INTO d.t FORMAT CSV", body: '1,"x\n\ny"\n' }, '1,"x\n\ny"\n'],
    ["rows that begin with line ends", { query: url, body: '\n\n{"a":1}' }, '1,""\n'],
    ["a JSON array", { query: url, body: '[{"a":1},\n\n{"a":2}]' }, '1,""\n2,""\n'],
    ["CSV with names", { query: "INSERT INTO d.t FORMAT CSVWithNames", body: "b,a\nx,1\n" }, '1,"x"\n'],
    [
      "binary rows with line ends in them",
      {
        query: "INSERT INTO d.t FORMAT RowBinary",
        body: new Uint8Array([10, 10, 0, 0, 0, 0, 0, 0, 2, 10, 59]),
      },
      '2570,"\n;"\n',
    ],
    ["asynchronous inserts are synchronous", { query: url, body: '{"a":1}', params: { async_insert: "1" } }, '1,""\n'],
    ["an empty body", { query: url, body: "" }, ""],
    ["an empty body in a format with a header", { query: "INSERT INTO d.t FORMAT CSVWithNames", body: "" }, ""],
    ["gzip", { query: url, body: gzipSync(rows), headers: { "Content-Encoding": "gzip" } }, csv],
    ["deflate", { query: url, body: deflateSync(rows), headers: { "Content-Encoding": "deflate" } }, csv],
    ["br", { query: url, body: brotliCompressSync(rows), headers: { "Content-Encoding": "br" } }, csv],
    ["zstd", { query: url, body: zstdCompressSync(rows), headers: { "Content-Encoding": "zstd" } }, csv],
  ];
  for (const [name, call, expected] of cases) {
    it(name, async () => assert.equal(await rowsAfter(call), expected));
  }

  it("rows never become SQL", async () => {
    for (const tail of ["\n\n; DROP TABLE d.t;\n", "\n\nDROP TABLE d.t", ";\nDROP TABLE d.t\n"]) {
      await test.ask({ query: url, body: `{"a":1}${tail}` });
      await test.ask({ body: `INSERT INTO d.t VALUES (1, 'x')${tail}` });
    }
    assert.equal(await post("EXISTS TABLE d.t"), "1\n");
  });

  it("a body of several MB that brings its own statement", async () => {
    const many = Array.from({ length: 40_000 }, (_, a) => JSON.stringify({ a, b: "x".repeat(60) })).join("\n");
    await post("TRUNCATE TABLE d.t");
    await post(`${url}\n${many}`);
    assert.equal(await post("SELECT count(), sum(a) FROM d.t"), "40000\t799980000\n");
  });

  it("the summary counts the rows", async () => {
    const answer = await test.ask({ query: url, body: rows });
    const summary: Record<string, string> = JSON.parse(answer.headers.get("x-clickhouse-summary") ?? "{}");
    assert.equal(summary.written_rows, "2");
  });

  it("a token is stored once", async () => {
    await post(
      "CREATE TABLE d.once (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100",
    );
    for (const [a, token] of [
      [1, "x"],
      [2, "x"],
      [3, "y"],
      [4, "x"],
    ] as const) {
      const params = { insert_deduplication_token: token };
      await test.ask({ query: "INSERT INTO d.once FORMAT JSONEachRow", body: `{"a":${a}}`, params });
    }
    assert.equal(await post("SELECT groupArray(a) FROM (SELECT a FROM d.once ORDER BY a)"), "[1,3]\n");
  });

  it("half a body is never stored", async () => {
    await post("TRUNCATE TABLE d.t");
    const cut = gzipSync('{"a":1}\n'.repeat(50_000));
    const answer = await test.ask({
      query: url,
      body: cut.subarray(0, cut.length - 9),
      headers: { "Content-Encoding": "gzip" },
    });
    assert.equal(answer.headers.get("x-clickhouse-exception-code"), "271");
    assert.equal(await post("SELECT count() FROM d.t"), "0\n");
  });
});

describe("compressed answers", () => {
  for (const encoding of ["gzip", "deflate", "br", "zstd"]) {
    for (const rows of [3, 300_000]) {
      it(`${encoding}, ${rows} rows`, async () => {
        const answer = await test.ask({
          body: `SELECT number FROM numbers(${rows}) FORMAT TSV`,
          params: { enable_http_compression: "1" },
          headers: { "Accept-Encoding": encoding },
        });
        assert.equal(answer.headers.get("content-encoding"), encoding);
        const expected = Array.from({ length: rows }, (_, row) => `${row}\n`).join("");
        // fetch undoes gzip, deflate and br; what it leaves as it is has been checked with the client's own decoder.
        if (encoding !== "zstd") assert.equal(answer.text, expected);
      });
    }
  }
  it("only when asked for", async () => {
    const answer = await test.ask({ body: "SELECT 1", headers: { "Accept-Encoding": "gzip" } });
    assert.equal(answer.headers.get("content-encoding"), null);
    assert.throws(() => gunzipSync(answer.text));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readStatement, splitStatements } from "../../src/engines/embedded/statement.ts";

const read = (sql: string) => readStatement(Buffer.from(sql));

describe("one statement per request", () => {
  const refused: Array<[name: string, sql: string, code: RegExp]> = [
    ["two statements", "SELECT 1; SELECT 2", /Code: 62\..*Multi-statements/],
    ["a second one without space", "SELECT 1;DROP TABLE t", /Multi-statements/],
    ["a second one after a comment", "SELECT 1; -- x\n/* y */ DROP TABLE t", /Multi-statements/],
    ["a second one after an insert from a query", "INSERT INTO t SELECT 1; SELECT 2", /Multi-statements/],
    ["nothing", "", /Empty query/],
    ["only a comment", "-- SELECT 1", /Empty query/],
    ["only semicolons", " ;; ", /Empty query/],
    ["an open string", "SELECT 'a", /not closed/],
    ["an open identifier", "SELECT `a", /not closed/],
    ["an open comment", "SELECT 1 /* ", /not closed/],
    ["an open comment inside another", "SELECT 1 /* /* */ ", /not closed/],
    ["an open typographic string", "SELECT ‘a", /not closed/],
    ["a NUL byte", "SELECT 1 \0", /NUL/],
    ["INTO OUTFILE", "SELECT 1 INTO OUTFILE '/tmp/x'", /Code: 358/],
    ["into  outfile, spread out", "SELECT 1 into /* */ \n outfile '/tmp/x' FORMAT TSV", /Code: 358/],
    ["FROM INFILE", "INSERT INTO t FROM INFILE '/etc/passwd' FORMAT LineAsString", /FROM INFILE/],
    ["a client command", "exit", /Code: 62/],
    ["a client command, ended", "quit;", /Code: 62/],
    ["insert select with data", "INSERT INTO t SELECT a FROM input('a String') FORMAT TSV 1", /not supported/],
  ];
  for (const [name, sql, code] of refused) {
    it(`refuses ${name}`, () => assert.throws(() => read(sql), { message: code }));
  }

  const accepted: Array<[name: string, sql: string]> = [
    ["a semicolon in a string", "SELECT ';DROP TABLE t'"],
    ["an escaped quote", "SELECT 'it\\'s; 1'"],
    ["a doubled quote", "SELECT 'it''s; 1'"],
    ["a backslash at the end of a string", "SELECT '\\\\', ';'"],
    ["a semicolon in a quoted name", 'SELECT 1 AS "a;b", 2 AS `c;d`'],
    ["a semicolon in comments", "SELECT 1 -- ; x\n, 2 /* ; y */ # ; z\n"],
    ["a semicolon in a heredoc", "SELECT $x$ ; $y$ ; $x$"],
    ["a semicolon between typographic quotes", "SELECT ‘a;b’ AS “c;d”"],
    ["semicolons at the end", "SELECT 1 ;; "],
    ["a dollar that is no heredoc", "SELECT 1 AS a$b"],
    ["comments that nest", "SELECT /* /* ; */ ; */ 1"],
  ];
  for (const [name, sql] of accepted) {
    it(`takes ${name}`, () => assert.equal(read(sql).kind, "select"));
  }
});

describe("the kind of a statement and its format", () => {
  const cases: Array<[sql: string, kind: string, keyword: string, format: string | undefined]> = [
    ["SELECT 1", "select", "select", undefined],
    ["select 1 format JSON", "select", "select", "JSON"],
    ["SELECT 1 FORMAT JSONEachRow SETTINGS max_threads = 1", "select", "select", "JSONEachRow"],
    ["SELECT 1 SETTINGS max_threads = 1 FORMAT CSV;", "select", "select", "CSV"],
    ["(SELECT 1) UNION ALL (SELECT 2) FORMAT TSV", "select", "select", "TSV"],
    ["WITH 1 AS x SELECT x", "select", "with", undefined],
    ["WITH a AS (SELECT 1) SELECT * FROM a", "select", "with", undefined],
    ["FROM t SELECT a", "select", "from", undefined],
    ["SELECT format FROM t", "select", "select", undefined],
    ["SELECT a FROM t ORDER BY format DESC", "select", "select", undefined],
    ["SELECT 'FORMAT JSON'", "select", "select", undefined],
    ["SELECT * FROM (SELECT 1 FORMAT JSON)", "select", "select", undefined],
    ["SHOW TABLES FORMAT JSON", "plain", "show", "JSON"],
    ["CREATE TABLE t (a UInt8) ENGINE = Memory", "plain", "create", undefined],
    ["INSERT INTO t SELECT 1", "plain", "insert", undefined],
    ["INSERT INTO t (a) WITH 1 AS x SELECT x", "plain", "insert", undefined],
    ["INSERT INTO t FORMAT JSONEachRow", "insert", "insert", "JSONEachRow"],
    ["INSERT INTO TABLE db.t (a, b) VALUES (1, 2)", "insert", "insert", "Values"],
    ["INSERT INTO t", "insert", "insert", undefined],
    ["INSERT INTO format VALUES (1)", "insert", "insert", "Values"],
    ["INSERT INTO db.format FORMAT TSV 1", "insert", "insert", "TSV"],
    ["INSERT INTO FUNCTION null('a UInt8') VALUES (1)", "insert", "insert", "Values"],
  ];
  for (const [sql, kind, keyword, format] of cases) {
    it(sql, () => {
      const statement = read(sql);
      assert.deepEqual([statement.kind, statement.keyword, statement.format], [kind, keyword, format]);
    });
  }

  it("cuts a select around its FORMAT clause", () => {
    const statement = read("SELECT 1 -- x\nFORMAT JSON SETTINGS a = 1;");
    assert.ok(statement.kind === "select");
    assert.deepEqual([statement.before.trim(), statement.after], ["SELECT 1 -- x", " SETTINGS a = 1"]);
  });

  it("collects calls through quotes and comments, and settings with their values", () => {
    const statement = read("SELECT `file`('x'), URL /* */ ('y'), a FROM t SETTINGS max_execution_time = 1.5, x = 'y'");
    assert.deepEqual([...statement.calls], ["file", "url"]);
    assert.deepEqual(statement.settings, [
      ["max_execution_time", "1.5"],
      ["x", "'"],
    ]);
  });
});

describe("where the rows of an insert begin", () => {
  const cases: Array<[sql: string, rows: string, target: string, clause: string]> = [
    ['INSERT INTO t FORMAT JSONEachRow\n{"a":1}\n\n{"a":2}', '{"a":1}\n\n{"a":2}', "INSERT INTO t", ""],
    ["INSERT INTO t FORMAT CSV  \t\r\n1,';", "1,';", "INSERT INTO t", ""],
    ['INSERT INTO t FORMAT JSONEachRow {"a":"; DROP"}', '{"a":"; DROP"}', "INSERT INTO t", ""],
    ["INSERT INTO `a b`.t (x) SETTINGS a = 1 FORMAT TSV\n\n1", "\n1", "INSERT INTO `a b`.t (x)", "SETTINGS a = 1"],
    ["insert into t values (1, 'a;b'); ", "(1, 'a;b'); ", "insert into t", ""],
    ["INSERT INTO t FORMAT Native\né\0ÿ", "é\0ÿ", "INSERT INTO t", ""],
  ];
  for (const [sql, rows, target, clause] of cases) {
    it(JSON.stringify(sql), () => {
      const statement = read(sql);
      assert.ok(statement.kind === "insert");
      assert.equal(Buffer.from(sql).toString("utf8", statement.dataStart), rows);
      assert.deepEqual([statement.target.trim(), statement.clause.trim()], [target, clause]);
    });
  }
});

it("splits a file into statements, comments between them left out", () => {
  const sql = "-- one\nCREATE TABLE a (x String DEFAULT ';');\n/* two; */ ALTER TABLE a -- why\nADD COLUMN y UInt8\n;;";
  assert.deepEqual(splitStatements(sql), [
    "CREATE TABLE a (x String DEFAULT ';')",
    "ALTER TABLE a -- why\nADD COLUMN y UInt8",
  ]);
});

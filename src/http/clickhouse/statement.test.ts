import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ClickHouseError } from "./errors.ts";
import { type Plan, readStatement } from "./statement.ts";
import { SYSTEM_TABLE_NAMES } from "./system-tables.ts";

const SESSION = { database: "default", databases: new Set(["default", "formo", "prj_1"]), user: "prj_1" };

function read(text: string, params: Record<string, string> = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(`param_${name}`, value);
  return readStatement(text, query, SESSION, SYSTEM_TABLE_NAMES);
}

function sqlOf(text: string, params: Record<string, string> = {}): string {
  const { plan } = read(text, params) as { plan: Extract<Plan, { kind: "query" }> };
  assert.equal(plan.kind, "query");
  return plan.sql.replaceAll(/ ?([(),.]) ?/g, "$1");
}

function codeOf(text: string, params: Record<string, string> = {}): string {
  try {
    read(text, params);
  } catch (cause) {
    if (cause instanceof ClickHouseError) return cause.code;
    throw cause;
  }
  return "none";
}

describe("a statement of a BI tool", () => {
  test("loses comments, semicolons, FORMAT and SETTINGS", () => {
    const text =
      "-- Metabase:: userID: 1\nSELECT /* a */ 1 AS x SETTINGS max_threads = 2, log_comment='a; b' FORMAT JSON;";
    const { plan, format, settings } = read(text);
    assert.deepEqual(plan, { kind: "query", sql: "SELECT 1 AS x" });
    assert.equal(format, "JSON");
    assert.deepEqual(settings, [
      ["max_threads", "2"],
      ["log_comment", "a; b"],
    ]);
    assert.equal(read("SELECT 1 FORMAT CSV SETTINGS max_threads=1").format, "CSV");
    assert.equal(sqlOf("SELECT '-- no comment; FORMAT x' AS s"), "SELECT '-- no comment; FORMAT x' AS s");
    assert.equal(sqlOf("SELECT format FROM events"), "SELECT format FROM events");
    assert.equal(sqlOf("SELECT 'it\\'s \\\\d' AS s"), "SELECT 'it''s \\\\d' AS s");
  });

  test("names its tables with or without the database", () => {
    const table: [string, string][] = [
      ["SELECT e.type FROM default.events AS e", "SELECT e.type FROM events AS e"],
      ["SELECT `formo`.`events`.`type` FROM `formo`.`events`", "SELECT `events`.`type` FROM `events`"],
      ['SELECT * FROM "prj_1"."events"', 'SELECT * FROM "events"'],
      ["SELECT name FROM system.tables", 'SELECT name FROM "system.tables" AS "tables"'],
      ["SELECT system.columns.type FROM system.columns", 'SELECT "columns".type FROM "system.columns" AS "columns"'],
      ["SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES t", 'SELECT TABLE_NAME FROM "information_schema.tables" t'],
      [
        "SELECT t.name FROM system.tables t JOIN system.databases AS d ON system.tables.database = system.databases.name",
        'SELECT t.name FROM "system.tables" t JOIN "system.databases" AS d ON "t".database = "d".name',
      ],
    ];
    for (const [text, expected] of table) assert.equal(sqlOf(text), expected);
    assert.equal(codeOf("SELECT * FROM system.users"), "UNKNOWN_TABLE");
    // Other databases are left to the check of the statement, which knows none.
    assert.equal(sqlOf("SELECT * FROM other.events"), "SELECT * FROM other.events");
  });

  test("learns about the server from its functions", () => {
    assert.equal(
      sqlOf("SELECT displayName(), version(), revision(), timezone()"),
      `SELECT 'sextant' AS "displayName()",'25.3.1.1' AS "version()",CAST(54460 AS UInt32)AS "revision()",'UTC' AS "timezone()"`,
    );
    assert.equal(
      sqlOf("SELECT currentUser() AS user, timezone() AS timezone LIMIT 1"),
      "SELECT 'prj_1' AS user,'UTC' AS timezone LIMIT 1",
    );
    assert.equal(sqlOf("SELECT 1 WHERE database = currentDatabase()"), "SELECT 1 WHERE database = 'default'");
    assert.equal(sqlOf("SELECT e.version() FROM events AS e"), "SELECT e.version()FROM events AS e");
  });

  test("may use ClickHouse's a ? b : c", () => {
    const table: [string, string][] = [
      ["SELECT a > 1 ? 'x' : 'y' AS b FROM t", "SELECT if(a > 1,'x','y')AS b FROM t"],
      ["SELECT toInt32(position(a, 'N(') >= 1 ?1 : 0) as n, 2", "SELECT toInt32(if(position(a,'N(')>= 1,1,0))as n,2"],
      ["SELECT a ? b : c ? d : e", "SELECT if(a,b,if(c,d,e))"],
    ];
    for (const [text, expected] of table) assert.equal(sqlOf(text), expected);
    assert.equal(codeOf("SELECT a ? b"), "SYNTAX_ERROR");
  });

  test("has its parameters replaced by literals of their type", () => {
    const table: [string, string, string][] = [
      ["String", "it's", "'it''s'"],
      ["String", "it\\'s", "'it''s'"],
      ["String", "a\\\\b\\tc", "'a\\\\b\tc'"],
      ["String", "' OR 1=1 --", "''' OR 1=1 --'"],
      ["Nullable(String)", "\\N", "NULL"],
      ["UInt64", "18446744073709551615", "18446744073709551615"],
      ["Int32", "-7", "- 7"],
      ["Float64", "1.5e3", "1.5e3"],
      ["Bool", "true", "true"],
      ["Date", "2026-03-01", "toDate('2026-03-01')"],
      ["DateTime", "1700000000", "toDateTime64('2023-11-14 22:13:20.000',3)"],
      ["DateTime64(3)", "2026-03-01 10:00:00.250", "toDateTime64('2026-03-01 10:00:00.250',3)"],
      ["Array(String)", "['a','it\\'s']", "[ 'a','it''s' ]"],
      ["Array(UInt8)", "[1,2]", "[ 1,2 ]"],
      ["Identifier", 'a"b', '"a""b"'],
    ];
    for (const [type, value, expected] of table)
      assert.equal(
        sqlOf(`SELECT {x:${type}} AS y`, { x: value }).replace(/^SELECT (.*?) ?AS y$/s, "$1"),
        expected,
        `${type} ${value}`,
      );
  });

  test("is refused if a parameter is missing or no value of its type", () => {
    assert.equal(codeOf("SELECT {x:String}"), "UNKNOWN_QUERY_PARAMETER");
    for (const [type, value] of [
      ["UInt8", "1 OR 1=1"],
      ["UInt8", "1.5"],
      ["Float64", "nan"],
      ["Date", "yesterday"],
      ["DateTime", "'); DROP"],
      ["Array(UInt8)", "[1, now()]"],
      ["Array(String)", "['a'] OR 1"],
      ["Map(String, String)", "{}"],
    ])
      assert.equal(codeOf(`SELECT {x:${type}}`, { x: value ?? "" }), "BAD_QUERY_PARAMETER", `${type} ${value}`);
  });

  test("may ask what there is with SHOW, EXISTS, DESCRIBE and USE", () => {
    assert.equal(sqlOf("SHOW DATABASES"), 'SELECT name FROM "system.databases" AS "databases" ORDER BY name');
    assert.equal(
      sqlOf("SHOW TABLES FROM formo LIKE 'e%'"),
      `SELECT name FROM "system.tables" AS "tables" WHERE database = 'default' AND name LIKE 'e%' ORDER BY name`,
    );
    assert.match(sqlOf("EXISTS TABLE default.events"), /name = 'events'$/);
    assert.deepEqual(read("DESCRIBE TABLE `default`.`events`").plan, { kind: "describe-table", table: "events" });
    assert.deepEqual(read("DESC system.tables").plan, { kind: "describe-table", table: "system.tables" });
    assert.deepEqual(read("DESC (SELECT 1 AS a)").plan, { kind: "describe", sql: "SELECT 1 AS a" });
    assert.deepEqual(read("SHOW CREATE TABLE `default`.`events`").plan, { kind: "create-table", table: "events" });
    assert.deepEqual(read("USE formo").plan, { kind: "nothing" });
    assert.equal(codeOf("SHOW TABLES FROM other"), "UNKNOWN_DATABASE");
    assert.equal(codeOf("USE other"), "UNKNOWN_DATABASE");
  });

  test("that is no SELECT is refused with the reason", () => {
    const table: [string, string][] = [
      ["INSERT INTO events VALUES (1)", "READONLY"],
      ["drop table events", "READONLY"],
      ["SET max_threads = 1", "READONLY"],
      ["SYSTEM SHUTDOWN", "READONLY"],
      ["EXPLAIN SELECT 1", "NOT_IMPLEMENTED"],
      ["SELECT * FROM VALUES('a Int32', 1)", "NOT_IMPLEMENTED"],
      ["SHOW PROCESSLIST", "NOT_IMPLEMENTED"],
      ["", "SYNTAX_ERROR"],
      ["-- only a comment", "SYNTAX_ERROR"],
      ["SELEC 1", "SYNTAX_ERROR"],
      ["SELECT 'open", "SYNTAX_ERROR"],
    ];
    for (const [text, expected] of table) assert.equal(codeOf(text), expected, text);
  });

  test("of the largest size is read in time, whatever it repeats", () => {
    const started = performance.now();
    for (const part of [
      "(",
      "[",
      "{x:String} ",
      "{",
      "? ",
      ": ",
      "a?b:c,",
      "FORMAT a ",
      "SETTINGS a=1 ",
      "system.tables.",
      "'a'",
      ";",
    ])
      codeOf(`SELECT ${part.repeat(Math.floor(32_000 / part.length))}`, { x: "y".repeat(1_000) });
    codeOf(`SELECT ${"/* */".repeat(50_000)} 1`);
    assert.ok(performance.now() - started < 5_000, `${performance.now() - started} ms`);
  });
});

/** The row of an event is described once (src/engines/event-columns.ts). Here its other spellings are compared with it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TYPES } from "../../src/engines/duckdb/append.ts";
import { ADDED_COLUMNS, type ColumnKind, EVENT_COLUMNS } from "../../src/engines/event-columns.ts";
import { ROLLUP_COLUMNS, SESSION_COLUMNS } from "../../src/engines/report-columns.ts";
import { TABLES } from "../../src/engines/user-sql/tables.ts";
import { ENGINES, type StartedEngine } from "../support/both-engines.ts";

const COLUMNS: ReadonlyMap<string, ColumnKind> = new Map([...EVENT_COLUMNS, ...ADDED_COLUMNS]);

const CLICKHOUSE_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "String",
  time: "DateTime64(3, 'UTC')",
  millis: "Int64",
  day: "Date",
  float: "Float64",
  byte: "UInt8",
  hash: "UInt64",
};

const ENGINE_FACTS = {
  DuckDB: {
    typeOf: (kind: ColumnKind) => String(TYPES[kind]),
    sql: `SELECT table_name AS of_table, column_name AS name, data_type AS type FROM information_schema.columns
ORDER BY table_name, ordinal_position`,
    tables: { sessions: "sessions", rollups: "rollups" },
  },
  ClickHouse: {
    typeOf: (kind: ColumnKind) => CLICKHOUSE_TYPES[kind],
    sql: `SELECT table AS of_table, name, replaceRegexpOne(type, '^LowCardinality\\((.*)\\)$', '\\\\1') AS type FROM system.columns
WHERE database = currentDatabase() ORDER BY table, position`,
    tables: { sessions: "session_rows", rollups: "rollup_rows" },
  },
} as const;

for (const { name, skip, start } of ENGINES)
  describe(`the schema of ${name}`, { skip }, () => {
    const { typeOf, sql, tables } = ENGINE_FACTS[name];
    let started: StartedEngine;
    let stored: readonly { of_table: string; name: string; type: string }[] = [];
    const columnsOf = (table: string) => stored.filter(({ of_table }) => of_table === table);
    const namesOf = (table: string) => columnsOf(table).map((column) => column.name);

    before(async () => {
      started = await start();
      stored = (await started.engine.select<(typeof stored)[number]>(sql)).rows;
    });
    after(() => started.stop());

    test("has every column of an event with the type of its kind, and no other", () => {
      const found = columnsOf("events").map((column) => `${column.name} ${column.type}`);
      const described = [...COLUMNS].map(([column, kind]) => `${column} ${typeOf(kind)}`);
      assert.deepEqual(found.toSorted(), described.toSorted());
    });

    test("has every column of sessions and rollups, and of an event the text that a session takes from it", () => {
      const lacking = (table: string, names: readonly string[]) =>
        names.filter((column) => !namesOf(table).includes(column));
      assert.deepEqual(lacking(tables.sessions, SESSION_COLUMNS), []);
      assert.deepEqual(lacking(tables.rollups, ROLLUP_COLUMNS), []);
      const otherwise = columnsOf(tables.sessions).filter(
        (column) => COLUMNS.get(column.name) === "text" && column.type !== typeOf("text"),
      );
      assert.deepEqual(otherwise, []);
    });
  });

/** What `events` of users' SQL shows under another name, or does not show (""). */
const SHOWN_AS: Readonly<Record<string, string>> = {
  session: "session_id",
  session_id: "",
  pathname: "page_path",
  acquisition: "channel_type",
  // The rows are those of one project, and each is there once.
  project_id: "",
  dedupe_day: "",
  dedupe_key: "",
  // Of use for reports alone; `context` has what was sent.
  visitor: "",
  original_after_ms: "",
  sent_after_ms: "",
  address_spelt: "",
  has_touch: "",
  extra: "",
  day: "",
  status: "",
  // Each network has a column of its own.
  click_id: "",
};

const SHOWN_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: "String",
  time: "DateTime",
  millis: "Int64",
  day: "Date",
  float: "Float64",
  byte: "UInt8",
  hash: "String",
};

describe("the catalogue of users' SQL", () => {
  test("shows every column of an event, or says that it does not", () => {
    const events = TABLES.find(({ name }) => name === "events");
    const shown = new Map(events?.columns.map(({ name, type }) => [name, type]));
    const faults = [...COLUMNS].filter(([name, kind]) => {
      const as = SHOWN_AS[name] ?? name;
      return as !== "" && shown.get(as) !== SHOWN_TYPES[kind];
    });
    assert.deepEqual(faults, []);
  });
});

/**
 * An engine knows the least and the greatest value of each column, of all projects together. No statement tells them: a
 * condition that some row of another project would satisfy has the same outcome as one that no row satisfies.
 */
import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import type { ExportedRow } from "../../src/engines/source-tables.ts";
import { type ColumnType, TABLES, type UserTable } from "../../src/engines/user-sql/tables.ts";
import { sampled } from "../../src/lib/testing.ts";
import { createEventStore } from "../query/store-rows.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { USER_ENGINES, type UserEngine } from "../support/user-engines.ts";

/** Values that rows of the project, and the lowest and highest rows of its neighbour have. */
const ROWS = {
  own: { text: "m", time: Date.UTC(2026, 2, 1), number: 1 },
  low: { text: "!", time: Date.UTC(2010, 0, 1), number: -1e6 },
  high: { text: "~~~", time: Date.UTC(2030, 5, 1), number: 1e6 },
} as const;

type Level = keyof typeof ROWS;

/** Conditions that a row of the neighbour satisfies, and that no row does. */
const PAIRS: Readonly<Record<"highest" | "lowest", Readonly<Record<ColumnType, readonly [string, string]>>>> = {
  highest: {
    String: ["> '}'", "> 'é'"],
    DateTime: ["> toDateTime('2029-01-01 00:00:00')", "> toDateTime('2049-01-01 00:00:00')"],
    Date: ["> toDate('2029-01-01')", "> toDate('2049-01-01')"],
    Float64: ["> 1000", "> 1000000000000"],
    UInt64: ["> 3", "> 4000000"],
    "Array(String)": ["> ['}']", "> ['é']"],
    "Array(Date)": ["> [toDate('2029-01-01')]", "> [toDate('2049-01-01')]"],
  },
  lowest: {
    String: ["< '#'", "< ' '"],
    DateTime: ["< toDateTime('2015-01-01 00:00:00')", "< toDateTime('2000-01-01 00:00:00')"],
    Date: ["< toDate('2015-01-01')", "< toDate('2000-01-01')"],
    Float64: ["< -1000", "< -1000000000000"],
    UInt64: ["< 1", "< 0"],
    "Array(String)": ["< ['#']", "< [' ']"],
    "Array(Date)": ["< [toDate('2015-01-01')]", "< [toDate('2000-01-01')]"],
  },
};

function rowOf(level: Level, n: number): ExportedRow {
  const { text: value, time, number } = ROWS[level];
  const texts = Object.entries(BLANK_ROW).map(([name, blank]) => [name, blank === "" ? value : number]);
  const timestamp = time + n * 1_000;
  return {
    ...(Object.fromEntries(texts) as ExportedRow),
    ...{ original_after_ms: 0, sent_after_ms: 0, has_touch: 1 },
    ...(level === "own" ? { type: "page", context: "{}", properties: "{}", extra: "{}" } : {}),
    project_id: level === "own" ? "p" : "neighbour",
    message_id: `${value} ${n}`,
    timestamp,
    received_at: timestamp,
    dedupe_day: new Date(timestamp).toISOString().slice(0, 10),
  };
}

async function plant({ engine }: UserEngine): Promise<void> {
  const store = await createEventStore(engine, "statistics");
  await store(Array.from({ length: 3 }, (_, n) => rowOf("own", n)));
  // A session of many page views.
  await store(Array.from({ length: 20 }, (_, n) => ({ ...rowOf("high", n), type: "page" })));
  for (const level of ["high", "low"] as const)
    await store(Array.from({ length: 3 }, (_, n) => ({ ...rowOf(level, 30 + n), anonymous_id: `${level}${n}` })));
}

/** The cast fails on every own row, if the condition behind it is not known to be false before. */
function statement({ name, columns }: UserTable, column: string, condition: string): string {
  const key = columns.find(({ type }) => type === "String")?.name ?? "";
  const cast = `CAST(concat('x', "${key}") AS Int32)`;
  return `SELECT count(c) AS n FROM (SELECT ${cast} AS c, "${column}" AS v FROM ${name} LIMIT 1000) AS t WHERE v ${condition}`;
}

async function outcomeOf({ engine }: UserEngine, sql: string): Promise<string> {
  const project = { id: "p", firstDay: "1970-01-01" };
  const query = { sql, workspaceId: "w", project, format: "json", timeoutMs: 60_000 } as const;
  try {
    return await text(await engine.runUserQuery(query, new AbortController().signal));
  } catch (cause) {
    return String(cause);
  }
}

async function compare(started: UserEngine, table: UserTable, names: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  // The lowest values of the other tables are those of these two.
  const sides = ["events", "sessions"].includes(table.name) ? (["highest", "lowest"] as const) : (["highest"] as const);
  for (const { name, type } of table.columns.filter((column) => names.includes(column.name)))
    for (const side of sides) {
      const [some, none] = PAIRS[side][type].map((condition) => statement(table, name, condition)) as [string, string];
      const [ofSome, ofNone] = await Promise.all([outcomeOf(started, some), outcomeOf(started, none)]);
      assert.equal(ofSome, ofNone, `the ${side} ${table.name}.${name} of another project is told by ${some}`);
      outcomes.push(ofSome);
    }
  return outcomes;
}

/** Tables that have rows, each once. */
const WITH_ROWS = ["events", "sessions", "users", "anonymous_users", "sources", "revenue", "identities"];
const READ = TABLES.filter(({ name }) => WITH_ROWS.includes(name));

/** On ClickHouse, as WebAssembly, a statement takes a second: a column of each type. */
const SOME: Readonly<Record<string, readonly string[]>> = {
  events: ["revenue", "event", "timestamp", "received_at"],
  sessions: ["date", "hits", "first_hit"],
};

for (const { name, skip, start } of USER_ENGINES)
  describe(`values of other projects on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
      await plant(started);
    });
    after(() => started.stop());

    for (const table of READ.filter((each) => name === "DuckDB" || Object.hasOwn(SOME, each.name)))
      test(`are not told by ${table.name}`, async () => {
        const all = table.columns.map((column) => column.name);
        const outcomes = await compare(
          started,
          table,
          sampled(name === "DuckDB" ? all : (SOME[table.name] ?? []), name === "DuckDB" ? 12 : 2),
        );
        // ClickHouse casts only the rows that are left.
        if (name === "DuckDB") for (const each of outcomes) assert.match(each, /^StatementRefused: Could not convert/);
      });
  });

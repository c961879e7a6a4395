/** Every function that users' statements may call, with the answer that ClickHouse documents for it, on both engines. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FUNCTIONS } from "../../src/engines/user-sql/functions.ts";
import { askEngine, USER_ENGINES, type UserEngine } from "../support/user-engines.ts";
import { AGGREGATES, type Case, ROWS, SCALARS, WINDOWS } from "./user-function-cases.ts";

/** Cases of one statement. The check limits patterns and long texts of a statement, and a refused one is split. */
const AT_ONCE = 8;

type Answer = readonly unknown[] | Error;

/** The values of each case's column. Those of eight cases are read by one statement: one takes ClickHouse 0.1 s. */
async function readAnswers(
  ask: (sql: string) => Promise<readonly Record<string, unknown>[]>,
  cases: readonly Case[],
  around: (columns: string) => string,
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  const read = async (some: readonly Case[]): Promise<void> => {
    try {
      const rows = await ask(around(some.map(([expression], at) => `${expression} AS x${at}`).join(", ")));
      for (const [at, [expression]] of some.entries())
        answers.set(
          expression,
          rows.map((row) => row[`x${at}`]),
        );
    } catch (cause) {
      if (some.length > 1) for (const each of some) await read([each]);
      else answers.set(some[0]?.[0] ?? "", cause as Error);
    }
  };
  for (let at = 0; at < cases.length; at += AT_ONCE) await read(cases.slice(at, at + AT_ONCE));
  return answers;
}

for (const { name, skip, start } of USER_ENGINES)
  describe(`the functions of users' statements on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
    });
    after(() => started.stop());

    const ask = async (sql: string) => (await askEngine(started, sql)).data;

    function addCases(kind: string, cases: readonly Case[], around: (columns: string) => string, isMany = false): void {
      describe(kind, () => {
        let answers: ReadonlyMap<string, Answer>;
        before(async () => {
          answers = await readAnswers(ask, cases, around);
        });
        for (const [expression, answer] of cases)
          test(expression, () => {
            const found = answers.get(expression);
            if (found instanceof Error) throw found;
            assert.deepEqual(found, isMany ? answer : [answer]);
          });
      });
    }

    addCases("aggregates", AGGREGATES, (columns) => `${ROWS} SELECT ${columns} FROM t`);
    addCases("windows", WINDOWS, (columns) => `${ROWS} SELECT ${columns} FROM t ORDER BY n`, true);
    addCases("scalars", SCALARS, (columns) => `SELECT ${columns}`);

    test("arrayJoin and unnest make a row for each item", async () => {
      assert.deepEqual(await ask("SELECT arrayJoin([1, 2]) AS x, unnest(['a', 'b']) AS y"), [
        { x: 1, y: "a" },
        { x: 2, y: "b" },
      ]);
    });

    test("columns without an alias are named as they were written", async () => {
      const [row = {}] = await ask(
        `${ROWS} SELECT count(*), toDate('2026-01-01'), sum(n) + 1, n IN (SELECT 1), round(1.5, 2), EXISTS (SELECT 1),
        n > 1 AND n NOT IN (1, 2), [1, 2][1], 'a' LIKE 'b', n BETWEEN 1 AND 2 FROM t GROUP BY n LIMIT 1`,
      );
      assert.deepEqual(Object.keys(row), [
        ...["count(*)", "toDate('2026-01-01')", "sum(n) + 1", "n IN (SELECT 1)", "round(1.5, 2)", "EXISTS (SELECT 1)"],
        ...["n > 1 AND n NOT IN (1, 2)", "[1, 2][1]", "'a' LIKE 'b'", "n BETWEEN 1 AND 2"],
      ]);
    });
  });

describe("the cases of functions", () => {
  test("every function has a case", () => {
    const used = [...AGGREGATES, ...WINDOWS, ...SCALARS].map(([expression]) => expression.toLowerCase()).join(" ");
    // The parser makes these of INTERVAL, brackets and dates.
    const syntax = [
      "to_years",
      "to_quarters",
      "to_months",
      "to_weeks",
      "to_days",
      "to_hours",
      "to_minutes",
      "to_seconds",
      "to_milliseconds",
      "list_value",
      "row",
      "tuple",
      "arrayjoin",
      "unnest",
    ];
    const without = FUNCTIONS.map(({ name }) => name.toLowerCase()).filter(
      (name) => /^\w/.test(name) && !syntax.includes(name) && !used.includes(`${name}(`),
    );
    assert.deepEqual(without, []);
  });
});

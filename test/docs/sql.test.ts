import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { FUNCTIONS } from "../../src/engines/user-sql/functions.ts";
import { TABLES } from "../../src/engines/user-sql/tables.ts";
import { sampled } from "../../src/lib/testing.ts";
import { createTestWriter } from "../support/local-engine.ts";
import { onchainEvents } from "../support/onchain-app.ts";
import { askEngine, USER_ENGINES, type UserAnswer, type UserEngine } from "../support/user-engines.ts";

const read = (name: string) => readFileSync(resolve(import.meta.dirname, "../../docs", name), "utf8");
const GUIDE = read("sql.md");
const COOKBOOK = read("sql-cookbook.md");
const statementsOf = (guide: string) => [...guide.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);

const STATEMENTS = [...statementsOf(GUIDE), ...statementsOf(COOKBOOK)];
const NOW_MS = Date.now();
/** What the first engine answered. */
const answers = new Map<string, UserAnswer>();

/** Some statements leave the order of equal rows open. */
function inAnyOrder(answer: UserAnswer) {
  return { ...answer, data: answer.data.map((row) => JSON.stringify(row)).sort() };
}

for (const { name, skip, start } of USER_ENGINES)
  describe(`the statements of the guides to SQL on ${name}`, { skip }, () => {
    let started: UserEngine;
    before(async () => {
      started = await start();
      const write = await createTestWriter(started.engine);
      await write("p", onchainEvents(NOW_MS), NOW_MS);
    });
    after(() => started.stop());

    for (const sql of name === "DuckDB" ? STATEMENTS : sampled(STATEMENTS, 6))
      test(`answers ${sql.replaceAll(/\s+/g, " ").slice(0, 100)}`, async () => {
        const answer = await askEngine(started, sql);
        assert.ok(answer.data.length > 0, "no rows");
        const values = answer.data.flatMap((row) => Object.values(row));
        assert.ok(
          values.some((value) => value !== null && value !== 0 && value !== ""),
          JSON.stringify(answer.data[0]),
        );
        const known = answers.get(sql) ?? answer;
        assert.deepEqual(inAnyOrder(answer), inAnyOrder(known));
        answers.set(sql, known);
      });
  });

describe("the guides to SQL", () => {
  test("the cookbook has twenty questions, each with a statement", () => {
    assert.equal([...COOKBOOK.matchAll(/^## \d+\. .*\?/gm)].length, 20);
    assert.equal(statementsOf(COOKBOOK).length, 20);
  });

  test("the guide names every table and every function", () => {
    const names = [
      ...TABLES.map(({ name }) => name),
      ...FUNCTIONS.filter(({ about }) => about !== "").map(({ name }) => name),
    ];
    assert.deepEqual(
      names.filter((name) => !new RegExp(`\`${name}\\b`).test(GUIDE)),
      [],
    );
  });
});

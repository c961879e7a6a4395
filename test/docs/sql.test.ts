import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { FUNCTIONS } from "../../src/engines/user-sql/functions.ts";
import { TABLES } from "../../src/engines/user-sql/tables.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { onchainEvents } from "../support/onchain-app.ts";

const read = (name: string) => readFileSync(resolve(import.meta.dirname, "../../docs", name), "utf8");
const GUIDE = read("sql.md");
const COOKBOOK = read("sql-cookbook.md");
const statementsOf = (guide: string) => [...guide.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, sql = ""]) => sql);

describe("the guides to SQL", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine();
    const write = await createTestWriter(local.engine);
    await write("p", onchainEvents(Date.now()), Date.now());
  });
  after(() => local.stop());

  const ask = async (sql: string) => {
    const project = { id: "p", firstDay: "1970-01-01" };
    const query = { sql, workspaceId: "w", project, format: "json", timeoutMs: 30_000 } as const;
    const answer = await text(await local.engine.runUserQuery(query, new AbortController().signal));
    return JSON.parse(answer) as { data: Record<string, unknown>[] };
  };

  for (const sql of [...statementsOf(GUIDE), ...statementsOf(COOKBOOK)])
    test(`answers ${sql.replaceAll(/\s+/g, " ").slice(0, 100)}`, async () => {
      const { data } = await ask(sql);
      assert.ok(data.length > 0, "no rows");
      const values = data.flatMap((row) => Object.values(row));
      assert.ok(
        values.some((value) => value !== null && value !== 0 && value !== ""),
        JSON.stringify(data[0]),
      );
    });

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

/**
 * Every statement that reports run, as DuckDB would receive it; `unshared` are the forms for an engine that computes a
 * CTE again for each of its readers. `UPDATE_GOLDEN=1` rewrites the files: read the diff before
 * you commit it.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { ReportName } from "../../src/contract/reports.ts";
import { createRelations } from "../../src/engines/duckdb/relations.ts";
import { toStatement } from "../../src/engines/duckdb/statement.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import { reportSql } from "../../src/query/run/run-report.ts";
import { planOf, type State, statesOf } from "./shapes.ts";

/** An engine without outdated sessions, which is asked nothing else here. */
const relations = createRelations({
  select: async <T>() => ({
    rows: [{ n: 0 } as T],
    statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 },
  }),
});

const FOLDER = new URL("./golden/", import.meta.url);
const SOURCES = new URL("../../src/query/", import.meta.url);
/** A join, and the rest of its CTE. */
const JOINS =
  /INNER JOIN (?:scope|\(SELECT .* FROM scope\)) AS \w+ ON \w+\.\w+ = (\w+)\.project_id(?=([\s\S]*?)\n\)(?:,|\nSELECT))/g;

/** Undefined: the report has no second form. */
async function render(name: ReportName, state: State, isShared: boolean) {
  const { statement, scope } = planOf(name, state);
  assert.notEqual(statement.ctes.length, 0);
  const ctes = isShared ? statement.ctes : statement.unshared;
  if (ctes === undefined) return undefined;
  const ofEngine = await relations.forReport(scope, new AbortController().signal);
  const sql = reportSql([...ofEngine.ctes, ...ctes], statement);
  const { sql: text, values } = toStatement(sql, { ...ofEngine.params, ...statement.params, ...statement.page });
  return `${text}\n-- ${Object.keys(values).sort().join(", ")}\n`;
}

describe("the statements of reports", () => {
  const files = (Object.keys(REPORTS) as ReportName[]).flatMap((name) =>
    Object.entries(statesOf(name)).flatMap(([state, given]) => [
      `${name}.${state}.sql`,
      ...(planOf(name, given).statement.unshared === undefined ? [] : [`${name}.${state}.unshared.sql`]),
    ]),
  );

  for (const file of files) {
    test(`${file} equals the committed statement`, async () => {
      const [name = "", state = "", form] = file.split(".");
      const rendered = await render(name as ReportName, statesOf(name as ReportName)[state] ?? {}, form !== "unshared");
      assert.ok(rendered);
      const path = new URL(file, FOLDER);
      if (process.env.UPDATE_GOLDEN === "1") {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(path, rendered);
      }
      assert.equal(rendered, readFileSync(path, "utf8"));
    });
  }

  test("restrict projects by the windows of parts.ts, and by no condition of their own", () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sql"));
    const texts = files.map((file) => ({ file, text: readFileSync(new URL(file, SOURCES), "utf8") }));
    assert.ok(
      texts.some(({ text }) => /\{\w+:KeptWindow\}/.test(text)),
      "the scan finds windows",
    );
    const own = texts.filter(({ text }) => /\w\.project_id IN \{projects:/.test(text));
    assert.deepEqual(
      own.map(({ file }) => file),
      [],
    );
  });

  test("name the projects wherever they join the scope: where it is known, the join is left out", () => {
    const statements = files.map((file) => readFileSync(new URL(file, FOLDER), "utf8"));
    const joins = statements.flatMap((text) => [...text.matchAll(JOINS)]);
    assert.ok(joins.length > 100, `${joins.length} joins`);
    for (const [text, of = "", rest = ""] of joins)
      assert.ok(rest.includes(`${of}.project_id IN CAST(`), `a join without its projects: ${text}`);
  });

  test("there are no other statements", () => assert.deepEqual(readdirSync(FOLDER).sort(), files.sort()));
});

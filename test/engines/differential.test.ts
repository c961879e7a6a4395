/** The same random statements of users on DuckDB and on ClickHouse. `npm run differential:sql` runs thousands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FUNCTIONS } from "../../src/engines/user-sql/functions.ts";
import { IS_LONG } from "../../src/lib/testing.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { AGGREGATES, WINDOWS } from "./differential/aggregates.ts";
import { compareStatements, summarize } from "./differential/compare.ts";
import { SCALARS } from "./differential/scalars.ts";

const STATEMENTS = IS_LONG ? 500 : 60;
/**
 * The same statements in every run: a difference that new ones find is old, and no fault of the change under test.
 * `npm run differential:sql` looks for those.
 */
const FIRST_SEED = 2026;
/** More would mean that the generator makes too few statements that say something. */
const MOST_REFUSED = 0.15;
/** A named difference excuses a statement by its form: so few may have one that another fault would show elsewhere. */
const MOST_NAMED = 0.05;

test("random statements have the same answer on both engines", { skip: whyNoClickHouse() ?? false }, async (t) => {
  const report = await compareStatements({ seed: FIRST_SEED, statements: STATEMENTS });
  t.diagnostic(summarize(report));
  assert.deepEqual(report.failures, []);
  assert.equal(report.statements, STATEMENTS);
  assert.ok(report.refusedByBoth <= STATEMENTS * MOST_REFUSED, summarize(report));
  const named = [...report.named.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(named <= STATEMENTS * MOST_NAMED, summarize(report));
});

/** Known for the sake of BI tools: the recorded statements of those have their answers. */
const OF_BI_TOOLS = ["toDate32", "toDecimal64", "toUUID", "toTypeName", "map", "multiSearchAny"];

test("every function is in a template of random statements", () => {
  const templates = [SCALARS, AGGREGATES, WINDOWS].flatMap((table) => Object.values(table).flat()).join(" ");
  const used = new Set(templates.match(/\w+(?=\()/g));
  // The answers of some change from call to call; `select.ts` makes rows of arrays.
  const others = ["now", "now64", "today", "yesterday", "rand", "arrayJoin", "unnest", ...OF_BI_TOOLS];
  const missing = FUNCTIONS.filter(({ name, about }) => about !== "" && !used.has(name) && !others.includes(name));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

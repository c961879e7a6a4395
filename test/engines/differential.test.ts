/** The same random statements of users on DuckDB and on ClickHouse. `npm run differential:sql` runs thousands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { compareStatements, summarize } from "./differential/compare.ts";

const STATEMENTS = 500;
/** More would mean that the generator makes too few statements that say something. */
const MOST_REFUSED = 0.15;

test("random statements have the same answer on both engines", { skip: whyNoClickHouse() ?? false }, async (t) => {
  const report = await compareStatements({ seed: SEED, statements: STATEMENTS });
  t.diagnostic(summarize(report));
  assert.deepEqual(report.failures, []);
  assert.equal(report.statements, STATEMENTS);
  assert.ok(report.refusedByBoth <= STATEMENTS * MOST_REFUSED, summarize(report));
});

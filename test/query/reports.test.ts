import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { compareReports } from "./compare.ts";

/** Two sets of events in their 15 states: `npm run property:query` asks as many as one wants. */
const PER_STATE = 14;
const QUERIES = 2 * 15 * PER_STATE;
const TIMEOUT_MS = 900_000;

describe("the reports", () => {
  test(`${QUERIES} generated queries match the oracle to the last row, partitions dirty, clean and dirty again`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    assert.equal(await compareReports({ seed: SEED, queries: QUERIES, queriesPerState: PER_STATE }), QUERIES);
  });
});

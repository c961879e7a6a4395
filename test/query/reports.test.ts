import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../support/seed.ts";
import { compareReports } from "./compare.ts";

const QUERIES = 300;
/** All of them about one set of events: the first state of another set would take 4 s. */
const PER_STATE = Math.ceil(QUERIES / 18);

/** Days are built in eighteen states, which takes longer than the questions. */
const TIMEOUT_MS = 300_000;

describe("the reports", () => {
  test(`${QUERIES} generated questions get the oracle's answers to the last row, days open, closed and opened again`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    assert.equal(await compareReports({ seed: SEED, queries: QUERIES, queriesPerState: PER_STATE }), QUERIES);
  });
});

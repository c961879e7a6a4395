import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { compareReports } from "./compare.ts";

const QUERIES = 600;
const TIMEOUT_MS = 300_000;

describe("the reports", () => {
  test(`${QUERIES} generated queries match the oracle to the last row, partitions dirty, clean and dirty again`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    assert.equal(await compareReports({ seed: SEED, queries: QUERIES }), QUERIES);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../../src/lib/testing.ts";
import { compareReports } from "../../query/compare.ts";
import { startClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";

/**
 * Every report, in the states that differ most: an emulated ClickHouse takes seconds for a question, nearly all of them
 * to plan it. `npm run property:query -- --engine clickhouse` asks as many as one wants, in all 15 states.
 */
const STATES = [
  "dirty",
  "clean in part",
  "with late events and copies",
  "clean again",
  "rebuilt, clean in part",
  "removed",
  "late after the removal",
];
const DERIVED = ["clean in part", "with late events and copies", "late after the removal"];
const PER_STATE = 4;
const QUERIES = STATES.length * PER_STATE;
/** A day that is removed later, one that stays, and today. */
const DATES = ["2026-03-01", "2026-03-03", "2026-03-05"];
const TIMEOUT_MS = 900_000;

test("reports, sessions and rollups of ClickHouse equal the oracle's, whatever partitions are clean", {
  skip: whyNoClickHouse() ?? false,
  timeout: TIMEOUT_MS,
}, async () => {
  const asked = await compareReports({
    seed: SEED,
    queries: QUERIES,
    queriesPerState: PER_STATE,
    projectsPerSet: 2,
    eventsPerSet: 60,
    dates: DATES,
    everyReport: true,
    counted: "received first",
    derived: DERIVED,
    states: STATES,
    open: (clock) => startClickhouseEngine(clock),
  });
  assert.equal(asked, QUERIES);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../../src/lib/testing.ts";
import { compareReports } from "../../query/compare.ts";
import { startClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";

/**
 * One set of events in its 15 states, and every report: an emulated ClickHouse takes seconds for a question, most of them
 * to plan it. `npm run property:query -- --engine clickhouse` asks as many as one wants.
 */
const PER_STATE = 1.6;
const QUERIES = 15 * PER_STATE;
/** A day that is removed later, one that stays, and today. */
const DATES = ["2026-03-01", "2026-03-03", "2026-03-05"];
const TIMEOUT_MS = 900_000;

test("reports, sessions and rollups of ClickHouse equal the oracle's in every state of its partitions", {
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
    derived: true,
    open: (clock) => startClickhouseEngine(clock),
  });
  assert.equal(asked, QUERIES);
});

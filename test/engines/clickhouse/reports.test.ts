import assert from "node:assert/strict";
import { test } from "node:test";
import { IS_LONG, SEED } from "../../../src/lib/testing.ts";
import { compareReports, ZONES } from "../../query/compare.ts";
import { startClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";

/**
 * Reports, in the state that reads most tables, in a long run all of them in those that differ most: an emulated
 * ClickHouse takes seconds for a question, nearly all of them to plan it, and as long to materialize a partition.
 * `npm run property:query -- --engine clickhouse` asks as many as one wants, in all 17 states.
 */
const SOME = ["clean in part"];
const STATES = IS_LONG ? [...SOME, "with other settings for bots, clean in part", "late after the removal"] : SOME;
const DERIVED = IS_LONG ? ["clean in part", "late after the removal"] : ["clean in part"];
const PER_STATE = IS_LONG ? 8 : 6;
const QUERIES = STATES.length * PER_STATE;
/** In a long run a day that is removed later; one that stays, and today. */
const DATES = [...(IS_LONG ? ["2026-03-01"] : []), "2026-03-03", "2026-03-05"];
const TIMEOUT_MS = 900_000;
/** A question in a zone takes ClickHouse longer to plan. */
const ASKED_ZONES = IS_LONG ? ZONES : ["UTC", "UTC", "UTC", "Pacific/Chatham"];

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
    people: 0.3,
    counted: "received first",
    derived: DERIVED,
    states: STATES,
    // Materializing one takes 11 s of processor.
    ...(IS_LONG ? {} : { cleanAtMost: 1 }),
    zones: ASKED_ZONES,
    open: (clock) => startClickhouseEngine(clock),
  });
  assert.equal(asked, QUERIES);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IS_LONG, ONLY_LONG, SEED } from "../../src/lib/testing.ts";
import { compareReports } from "./compare.ts";

/** One set of events in its 21 states: `npm run property:query` asks as many as one wants. */
const STATES = 21;
const PER_STATE = IS_LONG ? 16 : 2;
const QUERIES = STATES * PER_STATE;
const TIMEOUT_MS = 900_000;

describe("the reports, sessions and rollups", () => {
  test(`are those of the definition to the last row, partitions dirty, clean, dirty again, rebuilt and removed: ${QUERIES} queries`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const asked = await compareReports({ seed: SEED, queries: QUERIES, queriesPerState: PER_STATE, derived: true });
    assert.equal(asked, QUERIES);
  });

  test("a breakdown has the measures of the definition, by every column, in every order, beside those of other days", {
    skip: ONLY_LONG,
  }, async () => {
    const queriesPerState = 8;
    const options = { reports: ["breakdown"], queriesPerState, eventsPerSet: 300 } as const;
    assert.equal(
      await compareReports({ seed: SEED, queries: STATES * queriesPerState, ...options }),
      STATES * queriesPerState,
    );
  });

  test("retention by day, by week and by month is that of the definition", { skip: ONLY_LONG }, async () => {
    const queriesPerState = 2;
    const options = { reports: ["retention"], queriesPerState, eventsPerSet: 300 } as const;
    assert.equal(
      await compareReports({ seed: SEED, queries: STATES * queriesPerState, ...options }),
      STATES * queriesPerState,
    );
  });

  test("funnels and flows in one pass, as other engines compute them, are those of the definition", {
    skip: ONLY_LONG,
  }, async () => {
    const queriesPerState = 4;
    const options = { reports: ["funnel", "flow"], unshared: true, queriesPerState, eventsPerSet: 300 } as const;
    assert.equal(
      await compareReports({ seed: SEED, queries: STATES * queriesPerState, ...options }),
      STATES * queriesPerState,
    );
  });
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { compareReports } from "./compare.ts";

/** One set of events in its 15 states: `npm run property:query` asks as many as one wants. */
const PER_STATE = 16;
const QUERIES = 15 * PER_STATE;
const TIMEOUT_MS = 900_000;

describe("the reports, sessions and rollups", () => {
  test(`are those of the definition to the last row, partitions dirty, clean, dirty again, rebuilt and removed: ${QUERIES} queries`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const asked = await compareReports({ seed: SEED, queries: QUERIES, queriesPerState: PER_STATE, derived: true });
    assert.equal(asked, QUERIES);
  });

  test("a breakdown has the measures of the definition, by every column, in every order, beside those of other days", async () => {
    const options = { reports: ["breakdown"], queriesPerState: 8, eventsPerSet: 300 } as const;
    assert.equal(await compareReports({ seed: SEED, queries: 120, ...options }), 120);
  });

  test("retention by day, by week and by month is that of the definition", async () => {
    const options = { reports: ["retention"], queriesPerState: 2, eventsPerSet: 300 } as const;
    assert.equal(await compareReports({ seed: SEED, queries: 30, ...options }), 30);
  });

  test("funnels and flows in one pass, as other engines compute them, are those of the definition", async () => {
    const options = { reports: ["funnel", "flow"], unshared: true, queriesPerState: 4, eventsPerSet: 300 } as const;
    assert.equal(await compareReports({ seed: SEED, queries: 60, ...options }), 60);
  });
});

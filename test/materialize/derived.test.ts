import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { compareReports } from "../query/compare.ts";

describe("sessions and rollups", () => {
  test("are those of the definition, partitions dirty, clean, dirty again, rebuilt and removed", {
    timeout: 300_000,
  }, async () => {
    // One set of events in its 15 states, with one query in each.
    await compareReports({ seed: SEED, queries: 15, queriesPerState: 1, eventsPerSet: 400, derived: true });
  });
});

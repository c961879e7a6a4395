import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../../src/lib/testing.ts";
import { compareReports } from "../../query/compare.ts";
import { startClickhouseEngine } from "../../support/clickhouse-engine.ts";
import { whyNoClickHouse } from "../../support/platform.ts";

/** An emulated ClickHouse takes seconds for a query. */
const QUERIES = Number(process.env.TEST_CLICKHOUSE_QUERIES ?? 400);

test("reports, sessions and rollups of ClickHouse equal the oracle's in every state of its partitions", {
  skip: whyNoClickHouse() ?? false,
}, async () => {
  const asked = await compareReports({
    seed: SEED,
    queries: QUERIES,
    counted: "received first",
    derived: true,
    open: (clock) => startClickhouseEngine(clock),
  });
  assert.equal(asked, QUERIES);
});

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { ONLY_LONG } from "../../src/lib/testing.ts";
import { firstKeptDay } from "../../src/materialize/kept-days.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { firstDays } from "../../src/query/values/first-days.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { materializeAll, storeVisits } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");

/** Nothing, dirty partitions, clean ones, a late event before them, all clean again, and removed by retention. */
async function followFirstDay(engine: AnalyticsEngine): Promise<void> {
  const slots = createQuerySlots({ running: 1, waiting: 0, waitMs: 1 });
  const run = createRunLookup({ engine, clock: { nowMs: () => NOW_MS }, slots });
  const ask = async (retentionDays: number | null = null, timezone = "UTC") => {
    const projects = ["p", "none"].map((id) => ({ id, excludeBots: false, retentionDays, timezone }));
    const { data } = await run(firstDays, { workspaceId: "w", projects }, new AbortController().signal);
    assert.deepEqual(
      data.map(({ project_id }) => project_id),
      ["p", "none"],
    );
    assert.equal(data[1]?.first_day, null);
    return data[0]?.first_day;
  };
  assert.equal(await ask(), null);
  await storeVisits(engine, [
    ["2026-03-05", "eve"],
    ["2026-03-04", "ada"],
    ["2026-03-02", "crawler", "bot"],
  ]);
  assert.equal(await ask(), "2026-03-02");
  assert.equal(await ask(null, "America/New_York"), "2026-03-01", "the UTC day begins on the day before");
  assert.equal(await ask(null, "Asia/Kolkata"), "2026-03-02");
  await materializeAll(engine, NOW_MS, ["p"]);
  assert.equal(await ask(), "2026-03-02", "a day of bots alone counts, also where the rollups leave them out");
  await materializeAll(engine, NOW_MS);
  assert.equal(await ask(), "2026-03-02");
  await storeVisits(engine, [["2026-02-27", "late"]]);
  assert.equal(await ask(), "2026-02-27");
  await materializeAll(engine, NOW_MS);
  assert.equal(await ask(), "2026-02-27");
  assert.equal(await ask(2), "2026-03-03", "reports of a project that keeps two days begin there");
  const limits = [{ projectId: "p", firstDay: firstKeptDay(2, NOW_MS) }];
  await engine.maintenance.removeBefore(limits, new AbortController().signal);
  assert.equal(await ask(), "2026-03-04");
}

describe("the first day of a project", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW_MS });
  });
  after(() => local.stop());

  test("is that of its oldest event, whatever is clean, dirty or removed", () => followFirstDay(local.engine));

  test("is the same on ClickHouse", { skip: whyNoClickHouse() ?? ONLY_LONG }, async () => {
    const clickhouse = await startClickhouseEngine({ nowMs: () => NOW_MS });
    try {
      await followFirstDay(clickhouse.engine);
    } finally {
      await clickhouse.stop();
    }
  });
});

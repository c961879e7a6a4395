import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { REMOVED_AFTER_MS } from "../../src/definitions/kept-days.ts";
import type { AnalyticsEngine } from "../../src/engines/analytics.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { removeExpiredEvents } from "../../src/warehouse/retention.ts";
import { askMarch, freshReports, storeVisits } from "../support/visits.ts";
import { selectNumber, startTestWarehouse, type TestWarehouse } from "../support/warehouse.ts";

const MIDNIGHT_MS = Date.parse("2026-03-05T00:00:00Z");
/** Keeps 3 and 4 March at that midnight. */
const KEPT_DAYS = 2;
const FILTERS = JSON.stringify([{ field: "type", op: "eq", value: "page" }]);

describe("days that a project no longer keeps", () => {
  let warehouse: TestWarehouse;
  let engine: AnalyticsEngine;
  beforeEach(async () => {
    warehouse = await startTestWarehouse();
    engine = warehouse.engine;
    await storeVisits(engine, [
      ["2026-03-01", "ada"],
      ["2026-03-02", "bob"],
      ["2026-03-02", "eve"],
      ["2026-03-03", "bob"],
      ["2026-03-03", "eve"],
      ["2026-03-04", "bob"],
    ]);
    await close();
  });
  afterEach(() => warehouse.stop());

  const close = () => closeDueDays(engine, { settleS: 0 });
  const remove = (
    nowMs = MIDNIGHT_MS + REMOVED_AFTER_MS,
    through: Pick<AnalyticsEngine, "selectJson" | "command"> = engine,
  ) => removeExpiredEvents(through, [{ projectId: "p", days: KEPT_DAYS }], { nowMs, settleS: -1e9 });

  /** Sessions and visitors, the same by every way there is to count them. */
  async function expectCounts(
    sessions: number,
    visitors: number,
    retentionDays: number | null,
    when: string,
  ): Promise<void> {
    const run = freshReports(engine, { nowMs: () => MIDNIGHT_MS });
    const source = { project_id: "p", referrer: "Direct", hits: sessions, sessions, visitors };
    const chain = { project_id: "p", chain_id: "1", sessions, visitors };
    for (const query of [{}, { filters: FILTERS }]) {
      const about = `${when}, ${JSON.stringify(query)}`;
      assert.deepEqual(await askMarch(run, "top_sources", query, retentionDays), [source], about);
      assert.deepEqual(await askMarch(run, "top_chains", query, retentionDays), [chain], about);
    }
    const revenue = [{ project_id: "p", event: "Buy", sum_revenue: sessions }];
    assert.deepEqual(
      await askMarch(run, "revenue_by_metric", { metric_column: "event" }, retentionDays),
      revenue,
      when,
    );
  }

  test("are in no report, before they are removed, while they are, and when late events come for them", async () => {
    await expectCounts(6, 3, null, "without a limit");
    await expectCounts(3, 2, KEPT_DAYS, "before the removal");
    let statements = 0;
    await remove(undefined, {
      ...engine,
      async command(...given) {
        await engine.command(...given);
        statements += 1;
        await expectCounts(3, 2, KEPT_DAYS, `after ${given[0].slice(0, 60)}`);
      },
    });
    assert.ok(statements > 5, "it is asked after every statement");
    await storeVisits(engine, [["2026-03-01", "zoe"]]);
    await expectCounts(3, 2, KEPT_DAYS, "with a late event");
    await close();
    await expectCounts(3, 2, KEPT_DAYS, "with a late event, closed");
  });

  test("leave the others exact when the limit is lifted and late events come from before them", async () => {
    await remove();
    await expectCounts(3, 2, null, "lifted");
    // Somebody new, and somebody who was seen on the removed day and after.
    await storeVisits(engine, [
      ["2026-03-01", "zoe"],
      ["2026-03-01", "bob"],
    ]);
    await expectCounts(5, 3, null, "with late events");
    await close();
    await expectCounts(5, 3, null, "closed");
    await storeVisits(engine, [["2026-03-01", "kim"]]);
    await expectCounts(6, 4, null, "with a late event again");
    await close();
    await expectCounts(6, 4, null, "closed again");
  });

  test("are removed when no clock and no report is at the day before any more", async () => {
    const left = () => selectNumber(engine, "SELECT count() AS n FROM events");
    assert.equal(await remove(MIDNIGHT_MS), 1, "that of the day before");
    assert.equal(await remove(MIDNIGHT_MS + REMOVED_AFTER_MS - 1), 0);
    assert.equal(await left(), 5);
    assert.equal(await remove(MIDNIGHT_MS + REMOVED_AFTER_MS), 2);
    assert.equal(await left(), 3);
  });
});

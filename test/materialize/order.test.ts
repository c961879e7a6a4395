import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { storeVisits } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const [FIRST, SECOND, TODAY] = ["2026-03-03", "2026-03-04", "2026-03-05"] as const;
/** So much later that no late event is expected any more. */
const QUIET_MS = NOW_MS + MARGINS.quietMs;

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`the order of materialization on ${name}`, { skip }, () => {
    let started: StartedEngine;
    let maintenance: AnalyticsEngine["maintenance"];
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      ({ maintenance } = started.engine);
      await storeVisits(started.engine, [
        [FIRST, "ada"],
        [SECOND, "ada"],
        [TODAY, "ada"],
      ]);
    });
    after(() => started?.stop());

    const list = async (nowMs: number) => (await maintenance.listDirty(nowMs, [])).map(({ day }) => day);
    const materialize = async (day: string) =>
      (
        await maintenance.materialize([{ project_id: "p", day, without_bots: false }], new AbortController().signal)
      ).map((done) => done.day);

    test("a partition is due a while after its day, and never before", async () => {
      const over = Date.parse(TODAY) + DAY_MS + MARGINS.dayIsOverMs;
      assert.deepEqual(await list(QUIET_MS), [FIRST, SECOND]);
      assert.deepEqual(await list(over - 1), [FIRST, SECOND]);
      assert.deepEqual(await list(over), [FIRST, SECOND, TODAY]);
    });

    test("a partition is not materialized before an earlier one, and not twice", async () => {
      assert.deepEqual(await materialize(SECOND), []);
      assert.deepEqual(await materialize(FIRST), [FIRST]);
      assert.deepEqual(await materialize(FIRST), []);
      assert.deepEqual(await materialize(SECOND), [SECOND]);
      assert.deepEqual(await list(QUIET_MS), []);
    });

    test("a late event makes its partition and all later ones dirty, and no earlier one", async () => {
      await storeVisits(started.engine, [[SECOND, "bob"]]);
      assert.deepEqual(await list(QUIET_MS), [SECOND]);
      await storeVisits(started.engine, [[FIRST, "bob"]]);
      assert.deepEqual(await list(QUIET_MS), [FIRST, SECOND]);
      assert.deepEqual(await materialize(SECOND), []);
    });
  });

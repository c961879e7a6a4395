import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { withParts } from "../../src/lib/sql.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { questionOf } from "../../src/query/testing.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { materializeAll, startReports, storeVisits } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const [FIRST, SECOND, TODAY] = ["2026-03-03", "2026-03-04", "2026-03-05"] as const;
/** So much later that no late event is expected any more. */
const QUIET_MS = NOW_MS + MARGINS.quietMs;
/** No day is read from rollups. */
const NEVER = "1970-01-01";
const { signal } = new AbortController();

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`rollups without bots on ${name}`, { skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      // Ada is a person on her second day only.
      await storeVisits(started.engine, [
        [FIRST, "ada", "bot"],
        [FIRST, "bob", "desktop"],
        [SECOND, "ada", "desktop"],
        [SECOND, "crawler", "bot"],
        [TODAY, "crawler", "bot"],
        [TODAY, "bob", "desktop"],
      ]);
    });
    after(() => started?.stop());

    /** The first day that a report does not read from rollups. */
    async function findDirtyFrom(withoutBots: boolean): Promise<unknown> {
      const projects = [{ id: "p", firstDay: FIRST, withoutBots }];
      const { ctes, params } = await started.engine.relations.forReport(
        { projects, firstDay: FIRST, lastDay: TODAY },
        signal,
      );
      const scope = ctes.filter((cte) => cte.name === "scope");
      const sql = withParts(scope, "SELECT s.dirty_from AS dirty_from FROM scope AS s");
      const used = Object.entries(params).filter(([key]) => sql.includes(`{${key}:`));
      const { rows } = await started.engine.select<{ dirty_from: string }>(sql, { params: Object.fromEntries(used) });
      return rows[0]?.dirty_from;
    }

    async function expectVisitors(when: string): Promise<void> {
      const run = startReports(started.engine, { nowMs: () => NOW_MS });
      for (const [excludeBots, visitors, sessions] of [
        [true, 2, 3],
        [false, 3, 6],
      ] as const) {
        const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots, retentionDays: null }] };
        const asked = { date_from: FIRST, date_to: TODAY, limit: 10, offset: 0 };
        const { data } = await run("top_sources", owner, questionOf("top_sources", asked), signal);
        const expected = { project_id: "p", referrer: "Direct", hits: sessions, sessions, visitors };
        assert.deepEqual(data, [expected], `${when}, bots ${excludeBots ? "left out" : "counted"}`);
      }
    }

    const materialize = (withoutBots: readonly string[]) =>
      materializeAll(started.engine, QUIET_MS - MARGINS.dayIsOverMs, withoutBots);
    const list = async (withoutBots: readonly string[]) =>
      (await started.engine.maintenance.listDirty(QUIET_MS, withoutBots)).map(
        (due) => `${due.project_id} ${due.day} ${due.without_bots}`,
      );

    test("answer reports that leave bots out, and others read sessions", async () => {
      await materialize(["p"]);
      assert.deepEqual(await list(["p"]), []);
      assert.equal(await findDirtyFrom(true), TODAY);
      assert.equal(await findDirtyFrom(false), NEVER);
      await expectVisitors("clean without bots");
    });

    test("are due again, after all that is dirty, when the project counts bots", async () => {
      await storeVisits(started.engine, [[SECOND, "eve"]], "other");
      assert.deepEqual(await list([]), [`other ${SECOND} false`, `p ${FIRST} false`, `p ${SECOND} false`]);
      const [, first] = await started.engine.maintenance.listDirty(QUIET_MS, []);
      await started.engine.maintenance.materialize(first === undefined ? [] : [first], signal);
      assert.equal(await findDirtyFrom(false), SECOND, "the first day is read from its new rollups");
      assert.equal(await findDirtyFrom(true), NEVER);
      await expectVisitors("changed in part");
      await materialize([]);
      assert.deepEqual(await list([]), []);
      assert.equal(await findDirtyFrom(false), TODAY);
      await expectVisitors("clean with bots");
    });
  });

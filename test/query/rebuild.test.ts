import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import type { RunReport } from "../../src/query/run.ts";
import { BUILT_TABLES } from "../../src/warehouse/build-day.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";
import { askMarch, freshReports, storeVisits, type Visit } from "../support/visits.ts";

const DROPS: string[][] = [
  ["event_days"],
  ["closed_days"],
  [...BUILT_TABLES],
  ["project_days", "closed_days", "event_days", ...BUILT_TABLES],
];

/** One visitor comes every day. Two days are closed, and then there is a third. */
const CLOSED: readonly Visit[] = [
  ["2026-03-01", "ada"],
  ["2026-03-02", "ada"],
  ["2026-03-02", "bob"],
];
const OPEN: readonly Visit[] = [
  ["2026-03-03", "ada"],
  ["2026-03-03", "eve"],
];

const QUESTIONS = [
  ["top_sources", {}],
  ["top_chains", {}],
  ["revenue_by_metric", { metric_column: "event" }],
] as const;

describe("a rebuild of what was dropped", () => {
  let host: TestEngine;
  before(async () => {
    host = await startTestEngine();
  });
  after(() => host.stop());

  async function openWarehouse(database: string): Promise<AnalyticsEngine> {
    const { username, password } = host.engine;
    const engine = connectAnalytics({ url: () => host.engine.url(), username, password, database });
    await migrateWarehouse(engine, { database });
    await storeVisits(engine, CLOSED);
    await closeDueDays(engine, { settleS: 0 });
    await storeVisits(engine, OPEN);
    return engine;
  }

  const ask = (run: RunReport, [name, query]: (typeof QUESTIONS)[number]) => askMarch(run, name, query);
  const askAll = (run: RunReport) => Promise.all(QUESTIONS.map((question) => ask(run, question)));

  for (const [index, dropped] of DROPS.entries())
    test(`${dropped.join(", ")}: each report in the middle is exact or fails, and none fails at the end`, async () => {
      const engine = await openWarehouse(`dropped_${index}`);
      try {
        // One that remembers the days as it has seen them last, and may answer with a look of a moment ago.
        const known = freshReports(engine);
        const expected = await askAll(known);
        assert.match(JSON.stringify(expected), /"visitors":3.*"sum_revenue":5/);
        for (const name of dropped) await engine.command(`DROP ${name === "project_days" ? "VIEW" : "TABLE"} ${name}`);
        let moments = 0;
        const compare = async (after: string) => {
          moments += 1;
          const fresh = freshReports(engine);
          const remembered = QUESTIONS[moments % QUESTIONS.length] ?? assert.fail();
          await Promise.all(
            [...QUESTIONS, remembered].map(async (question, at) => {
              const answer = await ask(at < QUESTIONS.length ? fresh : known, question).catch(() => undefined);
              const right = expected[QUESTIONS.indexOf(question)];
              if (answer !== undefined) assert.deepEqual(answer, right, `${question[0]} after ${after}`);
            }),
          );
        };
        const heard = {
          ...engine,
          async command(...given: Parameters<AnalyticsEngine["command"]>) {
            await engine.command(...given);
            await compare(given[0].slice(0, 60));
          },
          async insert(...given: Parameters<AnalyticsEngine["insert"]>) {
            const done = await engine.insert(...given);
            await compare(`rows of ${given[0].table}`);
            return done;
          },
        };
        await rebuildDerived(heard, { database: `dropped_${index}` });
        assert.ok(moments > 8, "it is asked after every statement");
        assert.deepEqual(await askAll(known), expected);
        await closeDueDays(engine, { settleS: 0 });
        assert.deepEqual(await askAll(freshReports(engine)), expected);
      } finally {
        await engine.close();
      }
    });
});

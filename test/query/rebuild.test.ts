import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createRunReport, type RunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";
import { closeDueDays } from "../../src/warehouse/close-days.ts";
import { createDayBook } from "../../src/warehouse/day-book.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { rebuildDerived } from "../../src/warehouse/rebuild.ts";
import { startTestEngine, type TestEngine } from "../support/engine.ts";

const DROPS: string[][] = [
  ["event_days"],
  ["closed_days"],
  ["sessions"],
  ["revenue_events"],
  ["chain_visitors"],
  ["rollups"],
  ["project_days", "rollups", "sessions", "closed_days", "event_days", "revenue_events", "chain_visitors"],
];

type Visit = readonly [day: string, visitor: string];

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
    await store(engine, CLOSED);
    await closeDueDays(engine, { settleS: 0 });
    await store(engine, OPEN);
    return engine;
  }

  async function store(engine: AnalyticsEngine, visits: readonly Visit[]): Promise<void> {
    await createDayBook(engine, systemClock).open(visits.map(([day]) => ({ project_id: "p", day, key_day: day })));
    const rows = visits.map(([day, anonymous_id]) => ({
      ...{ project_id: "p", day, message_id: anonymous_id, timestamp: `${day} 12:00:00.000`, first: 1, type: "page" },
      ...{ anonymous_id, acquisition: "Direct", chain_id: "1", revenue: 1, event: "Buy" },
    }));
    await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
  }

  const reportsOf = (engine: AnalyticsEngine) =>
    createRunReport({ engine, clock: systemClock, turns: createTurns({ running: 10, waiting: 1, waitMs: 1 }) });

  async function ask(run: RunReport, [name, query]: (typeof QUESTIONS)[number]): Promise<unknown> {
    const scope = { workspaceId: "w", projects: [{ id: "p", excludeBots: false }] };
    const asked = { date_from: "2026-03-01", date_to: "2026-03-31", limit: 50, offset: 0, ...query };
    const { body } = await run(name, scope, asked, new AbortController().signal);
    return (JSON.parse(await text(body)) as { data: unknown }).data;
  }

  const askAll = (run: RunReport) => Promise.all(QUESTIONS.map((question) => ask(run, question)));

  for (const [index, dropped] of DROPS.entries())
    test(`${dropped.join(", ")}: each report in the middle is exact or fails, and none fails at the end`, async () => {
      const engine = await openWarehouse(`dropped_${index}`);
      try {
        // One that remembers the days as it has seen them last, and may answer with a look of a moment ago.
        const known = reportsOf(engine);
        const expected = await askAll(known);
        assert.match(JSON.stringify(expected), /"visitors":3.*"sum_revenue":5/);
        for (const name of dropped) await engine.command(`DROP ${name === "project_days" ? "VIEW" : "TABLE"} ${name}`);
        let moments = 0;
        const compare = async (after: string) => {
          moments += 1;
          const fresh = reportsOf(engine);
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
        assert.deepEqual(await askAll(reportsOf(engine)), expected);
      } finally {
        await engine.close();
      }
    });
});

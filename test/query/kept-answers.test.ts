import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ReportQuery } from "../../src/contract/analytics.ts";
import { REPORT_NAMES, type ReportName } from "../../src/contract/reports.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import type { SelectOptions } from "../../src/engines/select.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { readQuestion } from "../../src/query/report/question.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import type { RunReport } from "../../src/query/run/run-report.ts";
import { questionOf } from "../../src/query/testing.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { materializeAll, startReports, storeVisits } from "../support/visits.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const clock = { nowMs: () => NOW_MS };
const [FIRST, SECOND, TODAY] = ["2026-03-03", "2026-03-04", "2026-03-05"] as const;
const LATER_MS = NOW_MS + MARGINS.quietMs;
const { signal } = new AbortController();

interface Asked {
  readonly project?: string;
  readonly until?: string;
  readonly excludeBots?: boolean;
  readonly retentionDays?: number;
}

/** The visitors that a list of sources counts, and whether the engine worked for it. */
async function countVisitors(run: RunReport, { project = "p", until = SECOND, ...rest }: Asked = {}) {
  const { excludeBots = false, retentionDays = null } = rest;
  const owner = { workspaceId: "w", projects: [{ id: project, excludeBots, retentionDays }] };
  const asked = { date_from: FIRST, date_to: until, limit: 10, offset: 0 };
  const { data, statistics } = await run("top_sources", owner, questionOf("top_sources", asked), signal);
  return { visitors: data[0]?.visitors ?? 0, isKept: statistics.elapsed === 0 };
}

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`kept answers on ${name}`, { skip }, () => {
    let started: StartedEngine;
    let engine: AnalyticsEngine;
    let run: RunReport;
    let project = "";
    let nth = 0;
    before(async () => {
      started = await start({ nowMs: () => NOW_MS });
      engine = started.engine;
      run = startReports(engine, clock);
    });
    after(() => started?.stop());
    const count = (asked: Asked = {}) => countVisitors(run, { project, ...asked });
    const clean = () => materializeAll(engine, LATER_MS - MARGINS.dayIsOverMs);

    /** Two clean days of two visitors, asked once. */
    beforeEach(async () => {
      nth += 1;
      project = `p${nth}`;
      await storeVisits(
        engine,
        [
          [FIRST, "ada"],
          [SECOND, "bob"],
          [SECOND, "crawler", "bot"],
        ],
        project,
      );
      await clean();
      assert.deepEqual(await count(), { visitors: 3, isKept: false });
      assert.deepEqual(await count(), { visitors: 3, isKept: true });
    });

    test("two projects that ask the same have their own", async () => {
      await storeVisits(engine, [[FIRST, "eve"]], `${project}-other`);
      await clean();
      assert.equal((await count({ project: `${project}-other` })).visitors, 1);
      assert.equal((await count()).visitors, 3);
    });

    /** Reports of ClickHouse share a read of the catalogue for a moment, and are as old as it. */
    const storeLate = async (...visits: Parameters<typeof storeVisits>[1]) => {
      await storeVisits(engine, visits, project);
      if (name === "ClickHouse") await delay(MARGINS.sharedReadMs);
    };

    test("a late event is counted at once, and after its days are clean again", async () => {
      await storeLate([FIRST, "late"]);
      assert.deepEqual(await count(), { visitors: 4, isKept: false });
      await clean();
      assert.deepEqual((await count()).visitors, 4);
      await storeLate([SECOND, "later"]);
      assert.deepEqual((await count()).visitors, 5);
    });

    test("bots are left out as soon as the project's setting says so, and counted again", async () => {
      assert.deepEqual((await count({ excludeBots: true })).visitors, 2);
      assert.deepEqual((await count()).visitors, 3);
    });

    test("days beyond a shorter retention are not counted, before and after they are removed", async () => {
      assert.equal((await count({ retentionDays: 1 })).visitors, 2);
      await engine.maintenance.removeBefore([{ projectId: project, firstDay: SECOND }], signal);
      assert.equal((await count()).visitors, 2);
    });

    test("a rebuild makes them again", async () => {
      await engine.maintenance.rebuild(() => undefined, signal);
      assert.deepEqual(await count(), { visitors: 3, isKept: false });
      await clean();
      assert.equal((await count()).visitors, 3);
    });
  });

describe("kept answers of DuckDB", () => {
  let local: TestLocalEngine;
  let run: RunReport;
  before(async () => {
    local = await startLocalEngine(clock);
    run = startReports(local.engine, clock);
    await storeVisits(local.engine, [
      [FIRST, "ada"],
      [TODAY, "bob"],
    ]);
  });
  after(() => local?.stop());

  test("of a dirty day are kept until an event of the project comes, also one of earlier days", async () => {
    assert.deepEqual(await countVisitors(run, { until: TODAY }), { visitors: 2, isKept: false });
    assert.deepEqual(await countVisitors(run, { until: TODAY }), { visitors: 2, isKept: true });
    await storeVisits(local.engine, [[FIRST, "eve"]]);
    assert.deepEqual(await countVisitors(run, { until: TODAY }), { visitors: 3, isKept: false });
  });

  test("the same report five times at once is answered to all, and the same of another project is not", async () => {
    await storeVisits(local.engine, [[TODAY, "more"]]);
    const answers = await Promise.all(Array.from({ length: 5 }, () => countVisitors(run, { until: TODAY })));
    assert.deepEqual(new Set(answers.map(({ visitors }) => visitors)), new Set([4]));
    const [own, others] = await Promise.all([countVisitors(run), countVisitors(run, { project: "other" })]);
    assert.deepEqual([own.visitors, others.visitors], [2, 0]);
  });
});

/** What some reports refuse to answer without. */
const NEEDED = {
  metric_column: "referrer",
  address: "0x1",
  steps: '[{"type":"event","event":"page"},{"type":"event","event":"page"}]',
  start_step: '{"type":"event","event":"page"}',
};

/** Options of a read that is run whatever is kept. */
function withoutReads({ params = {}, signal: ending = signal }: SelectOptions = {}): SelectOptions {
  return { params, signal: ending };
}

describe("the days that a report reads", () => {
  let local: TestLocalEngine;
  before(async () => {
    local = await startLocalEngine(clock);
    await storeVisits(local.engine, [
      [FIRST, "ada"],
      [SECOND, "ada"],
      [SECOND, "bob"],
    ]);
  });
  after(() => local?.stop());

  const ask = async (run: RunReport, name: ReportName) => {
    const query = { date_from: FIRST, date_to: SECOND, limit: 10, offset: 0, ...NEEDED };
    const read = readQuestion(REPORTS[name], query as ReportQuery, NOW_MS);
    assert.ok(read.ok, name);
    const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
    return (await run(name, owner, read.value, signal)).data;
  };

  test("end with what it says to read: an event of a later day leaves kept answers as a new read has them", async () => {
    const { engine } = local;
    const run = startReports(engine, clock);
    const afresh = startReports(
      { ...engine, select: (sql, options) => engine.select(sql, withoutReads(options)) },
      clock,
    );
    for (const name of REPORT_NAMES) await ask(run, name);
    await storeVisits(engine, [
      [TODAY, "ada"],
      [TODAY, "eve"],
    ]);
    for (const name of REPORT_NAMES) assert.deepEqual(await ask(run, name), await ask(afresh, name), name);
  });
});

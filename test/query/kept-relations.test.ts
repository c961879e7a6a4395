import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SelectOptions } from "../../src/engines/select.ts";
import { createRunReport, type RunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { questionOf } from "../../src/query/testing.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { selectNumber, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";

const timezone = "America/New_York";
/** Midnight in New York is at 05:00. */
const [BEFORE, AFTER] = ["2026-02-10T04:30:00Z", "2026-02-10T05:30:00Z"];
const STORED = 10;
const { signal } = new AbortController();
const TABLES = "SELECT count(*) AS n FROM duckdb_tables() WHERE database_name = 'memory'";

describe("sessions that midnight of a zone cuts", () => {
  let local: TestLocalEngine;
  let run: RunReport;
  let views = 0;

  before(async () => {
    const nowMs = () => Date.parse("2026-02-11T12:00:00Z");
    local = await startLocalEngine({ nowMs });
    const { engine } = local;
    // Without `reads` no answer is kept: each is computed.
    const select = <T>(sql: string, { reads: _reads, ...options }: SelectOptions = {}) =>
      engine.select<T>(sql, options);
    const slots = createQuerySlots({ running: 10, waiting: 100, waitMs: 60_000 });
    run = createRunReport({ engine: { relations: engine.relations, select }, clock: { nowMs }, slots });
  });
  after(() => local.stop());

  /** In one transaction. */
  const store = (...seen: readonly (readonly [visitor: string, at: string])[]) =>
    local.engine.importRows(
      "events",
      seen.map(([anonymous_id, at]) => {
        views += 1;
        return {
          ...BLANK_ROW,
          ...{ project_id: "p", dedupe_day: at.slice(0, 10), message_id: `m${views}`, timestamp: Date.parse(at) },
          ...{ anonymous_id, type: "page", acquisition: "Direct", has_touch: 1 },
        };
      }),
    );
  const ask = async () => {
    const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
    const question = questionOf("kpis", { date_from: "2026-02-09", date_to: "2026-02-10", timezone });
    const { data } = await run("kpis", owner, question, signal);
    return data.map(({ sessions, pageviews }) => [sessions, pageviews]);
  };

  test("count what their events are, however often somebody asks and whatever comes", async () => {
    const nothing = [
      [0, 0],
      [0, 0],
    ];
    assert.deepEqual([await ask(), await ask()], [nothing, nothing]);
    await store(["ada", BEFORE]);
    assert.deepEqual((await ask())[0], [1, 1], "nothing is cut");
    await store(["ada", AFTER]);
    for (const time of ["first", "second", "third"])
      assert.deepEqual(
        await ask(),
        [
          [1, 1],
          [1, 1],
        ],
        time,
      );
    assert.equal(await selectNumber(local.engine, TABLES), 1, "the parts are kept");
    await store(["ada", BEFORE]);
    for (const time of ["first", "second", "third"])
      assert.deepEqual(
        await ask(),
        [
          [1, 2],
          [1, 1],
        ],
        time,
      );
    assert.equal(await selectNumber(local.engine, TABLES), 1, "those of before are dropped");
  });

  test("are those of one moment while others are stored", async () => {
    const [day] = await ask();
    const extra = Number(day?.[1]) - Number((await ask())[1]?.[1]);
    let isStoring = true;
    const stored = (async () => {
      for (let nth = 0; nth < STORED; nth += 1) await store([`v${nth}`, BEFORE], [`v${nth}`, AFTER]);
    })().finally(() => {
      isStoring = false;
    });
    const asking = Array.from({ length: 3 }, async () => {
      let asked = 0;
      while (isStoring) {
        const [[sessions, pageviews] = [], [later] = []] = await ask();
        assert.deepEqual(
          [later, Number(pageviews)],
          [sessions, Number(sessions) + extra],
          "both parts of each session",
        );
        asked += 1;
      }
      return asked;
    });
    await stored;
    assert.ok((await Promise.all(asking)).every((asked) => asked > 0));
    assert.deepEqual(await ask(), [
      [STORED + 1, STORED + 1 + extra],
      [STORED + 1, STORED + 1],
    ]);
  });
});

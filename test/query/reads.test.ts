/**
 * How often a report reads the table of events. ClickHouse computes a CTE again for each of its readers, so that the
 * number can grow with every mention; DuckDB computes it once. All days are dirty here: of clean ones, sessions are read
 * from their own table.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ReportName } from "../../src/contract/reports.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import type { Cte, ReportScope } from "../../src/engines/relations.ts";
import { ONLY_LONG } from "../../src/lib/testing.ts";
import { REPORTS } from "../../src/query/reports/index.ts";
import { ctesFor, narrowTo, reportSql } from "../../src/query/run/run-report.ts";
import { startClickhouseEngine, type TestClickhouseEngine } from "../support/clickhouse-engine.ts";
import { sampleEvent } from "../support/events.ts";
import { createTestWriter, startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { NOW_MS, planOf, type State, statesOf } from "./shapes.ts";

/** The most reads of a report on ClickHouse, over all its shapes that are not named beside it. Less is better; more needs a reason. */
const MOST_READS: Readonly<Record<string, number>> = {
  top_sources: 6,
  top_chains: 8,
  revenue_by_metric: 4,
  volume_by_metric: 4,
  top_locations: 6,
  top_wallets: 8,
  top_events: 3,
  top_custom_events: 3,
  revenue_timeseries: 4,
  event_timeseries: 6,
  heatmap: 3,
  breakdown: 10,
  funnel: 4,
  flow: 4,
  // Two of them find the wallets of dirty days before clean ones are read: 274 to 160 ms where there are none.
  kpis: 20,
  // Two of them find the sessions of bots, whose views do not count.
  top_pages: 11,
  revenue_overview: 6,
  lifecycle: 5,
  user_lifecycle: 5,
  frequency: 7,
  user_frequency: 5,
  retention: 14,
  // A cohort begins with another event than activity: its users are found in both.
  "retention by_entry": 18,
  "retention by_any_entry": 28,
};
/** Of a report that is not listed: a statement over events with filters on events and sessions needs no more. */
const USUAL_READS = 4;
const MOST_READS_ON_DUCKDB = 2;

const SHAPES = (Object.keys(REPORTS) as ReportName[]).flatMap((name) =>
  Object.entries(statesOf(name)).map(([shape, state]) => ({ name, shape, state })),
);

interface Statement {
  readonly sql: string;
  readonly ctes: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** An emulated ClickHouse takes a second to read its catalogue, and few shapes ask about other days. */
const known = new Map<string, ReturnType<AnalyticsEngine["relations"]["forReport"]>>();

function relationsFor({ relations }: AnalyticsEngine, scope: ReportScope) {
  const key = JSON.stringify([relations.sharesCtes, scope]);
  const found = known.get(key) ?? relations.forReport(scope, new AbortController().signal);
  known.set(key, found);
  return found;
}

async function statementOf(engine: AnalyticsEngine, name: ReportName, state: State): Promise<Statement> {
  const { statement, scope } = planOf(name, state);
  const relations = await relationsFor(engine, scope);
  const ctes = [...relations.ctes, ...narrowTo(relations, ctesFor(engine.relations, statement))];
  const sql = reportSql(ctes, statement);
  const all = Object.entries({ ...relations.params, ...statement.params, ...statement.page });
  return { sql, ctes, params: Object.fromEntries(all.filter(([key]) => sql.includes(`{${key}:`))) };
}

/** The reads of an engine that puts each CTE where it is mentioned. */
function countReads(ctes: readonly Cte[], table: string): number {
  const mentions = (sql: string, name: string) =>
    sql.match(new RegExp(`\\b(?:FROM|JOIN)\\s+${name}\\b`, "g"))?.length ?? 0;
  const reads = new Map<string, number>();
  for (const { name, sql } of ctes)
    reads.set(
      name,
      [...reads].reduce((sum, [other, each]) => sum + mentions(sql, other) * each, mentions(sql, table)),
    );
  return reads.get("counts") ?? 0;
}

async function explain(run: (sql: string) => Promise<{ rows: readonly object[] }>, sql: string): Promise<string> {
  const { rows } = await run(`EXPLAIN ${sql}`);
  return rows.flatMap((row) => Object.values(row)).join("\n");
}

async function storeDirtyDays(engine: AnalyticsEngine): Promise<void> {
  const write = await createTestWriter(engine);
  const days = ["2026-03-01", "2026-03-08", "2026-03-10"];
  const event = (day: string) => sampleEvent(day, { channel: "server", original_timestamp: `${day}T10:00:00Z` });
  await write("p", days.map(event), NOW_MS);
}

describe("reads of events by a report on ClickHouse", { skip: whyNoClickHouse() ?? ONLY_LONG }, () => {
  let host: TestClickhouseEngine;
  before(async () => {
    host = await startClickhouseEngine({ nowMs: () => NOW_MS });
    await storeDirtyDays(host.engine);
  });
  after(() => host?.stop());

  const explainedReads = async ({ sql, params }: Statement) => {
    // Sets that are built while a statement is planned would not be in its plan.
    const settings = { use_index_for_in_with_subqueries: 0 };
    const plan = await explain((text) => host.clickhouse.select(text, { params, settings }), sql);
    return plan.match(/ReadFromMergeTree \([^)]*\.events_rows\)/g)?.length ?? 0;
  };

  test("are at most those of its list, in every shape of its statement", async () => {
    const counted = new Map<string, number>();
    for (const { name, shape, state } of SHAPES) {
      const reads = countReads((await statementOf(host.engine, name, state)).ctes, "events_rows");
      const listed = `${name} ${shape}` in MOST_READS ? `${name} ${shape}` : name;
      assert.ok(reads <= (MOST_READS[listed] ?? USUAL_READS), `${name}, ${shape}: ${reads} reads`);
      if (listed in MOST_READS) counted.set(listed, Math.max(reads, counted.get(listed) ?? 0));
    }
    assert.deepEqual(Object.fromEntries(counted), MOST_READS, "no bound is larger than it has to be");
  });

  test("are two for a funnel of ten grouped steps, and what the plan says for others", async () => {
    const cases: [ReportName, string, number?][] = [
      ["funnel", "of_ten_by_referrer", 2],
      ["funnel", "plain", 1],
      ["flow", "session_filter", 2],
      ["top_chains", "event_filter"],
    ];
    for (const [name, shape, expected] of cases) {
      const statement = await statementOf(host.engine, name, statesOf(name)[shape] ?? assert.fail(shape));
      // Of sessions without their gaps the statement reads the events once less than their text with all columns says.
      const most = countReads(statement.ctes, "events_rows");
      const reads = await explainedReads(statement);
      assert.ok(reads > 0 && reads <= most, `${name}, ${shape}: ${reads} reads, at most ${most}`);
      if (expected !== undefined) assert.equal(reads, expected, `${name}, ${shape}: ${reads}`);
    }
  });
});

describe("reads of events by a report on DuckDB", () => {
  let host: TestLocalEngine;
  before(async () => {
    host = await startLocalEngine({ nowMs: () => NOW_MS });
    await storeDirtyDays(host.engine);
  });
  after(() => host.stop());

  test(`are at most ${MOST_READS_ON_DUCKDB}, in every shape of every statement`, async () => {
    let most = 0;
    for (const { name, shape, state } of SHAPES) {
      const { sql, params } = await statementOf(host.engine, name, state);
      const plan = await explain((text) => host.engine.select(text, { params }), sql);
      const reads = plan.match(/\bmain\.events\b/g)?.length ?? 0;
      assert.ok(reads <= MOST_READS_ON_DUCKDB, `${name}, ${shape}: ${reads} reads`);
      most = Math.max(most, reads);
    }
    assert.equal(most, MOST_READS_ON_DUCKDB);
  });
});

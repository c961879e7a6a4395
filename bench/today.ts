/**
 * `npm run bench:today`: what reports over the default window cost with four times the events, before and after the running
 * day is rolled up, in one process.
 *
 *   --events N   events of 8 days in 2 projects (500,000); the second warehouse has four times as many
 *
 * It counts processor time, which other load of the machine changes little. Nothing is answered from kept rows.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ReportQuery } from "../src/contract/analytics.ts";
import type { ReportName } from "../src/contract/reports.ts";
import { type LocalEngine, openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import { dayOf } from "../src/lib/time.ts";
import { readQuestion } from "../src/query/report/question.ts";
import { REPORTS } from "../src/query/reports/index.ts";
import { createRunReport } from "../src/query/run/run-report.ts";
import { createQuerySlots } from "../src/query/run/slots.ts";
import { fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

const { values: options } = parseArgs({ options: { events: { type: "string", default: "500000" } } });
const GIVE_UP_MS = 3_600_000;
const GROWTH = 4;
const ROUNDS = 9;
const WARM_UPS = 2;
const MOST = 1.3;
const PROJECTS = ["one", "two"];
/** The running day is nearly over: the end of yesterday. */
const NOW_MS = Date.parse(dayOf(Date.now())) - 20 * 60_000;
const SPAN = { days: 8, endMs: NOW_MS } as const;

const BY_HOUR: ReportQuery = { interval: "hour", date_from: dayOf(NOW_MS) };
const QUESTIONS: readonly (readonly [shown: string, ReportName, ReportQuery])[] = [
  ["top_events", "top_events", {}],
  ["event_timeseries", "event_timeseries", {}],
  ["heatmap", "heatmap", {}],
  ["revenue_by_metric", "revenue_by_metric", { metric_column: "referrer" }],
  ["revenue_overview", "revenue_overview", {}],
  ["kpis by hour", "kpis", BY_HOUR],
  ["kpis by day", "kpis", {}],
  ["kpis of all days", "kpis", { interval: "all" }],
  ["top_pages", "top_pages", {}],
  ["entry pages", "top_pages", { mode: "entry" }],
  ["exit pages", "top_pages", { mode: "exit" }],
  ["top_sources", "top_sources", {}],
  ["top_locations", "top_locations", {}],
  ["top_chains", "top_chains", {}],
  ["top_wallets", "top_wallets", {}],
];

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const small = await load(Number(options.events), onEnd);
  const large = await load(Number(options.events) * GROWTH, onEnd);
  const before = await askAll([small, large]);
  const { signal } = new AbortController();
  for (const engine of [small, large]) {
    const started = process.cpuUsage();
    await engine.maintenance.rollUpHours({ nowMs: NOW_MS, withoutBots: PROJECTS, fewestEvents: 1 }, signal);
    const { user, system } = process.cpuUsage(started);
    print(`rolled up with ${((user + system) / 1_000).toFixed(0)} ms of processor`);
  }
  const after = await askAll([small, large]);
  return QUESTIONS.map(([shown], nth) => {
    print(`${shown.padEnd(20)}${textOf(before[nth])} before, ${textOf(after[nth])} rolled up`);
    return line(`${shown}, ${GROWTH} times the events`, ratioOf(after[nth]), 2, "", { atMost: MOST });
  });
}

const ratioOf = ([small = Number.NaN, large = Number.NaN]: readonly number[] = []) => large / small;
const textOf = (spent: readonly number[] = []) =>
  `${spent.map((us) => (us / 1_000).toFixed(1)).join(", ")} ms (${ratioOf(spent).toFixed(2)})`;

async function load(events: number, onEnd: OnEnd): Promise<LocalEngine> {
  const dir = mkdtempSync(join(tmpdir(), "sextant-today-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true }));
  const path = fileOf(dir);
  const open = () => openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: () => NOW_MS });
  const created = await open();
  await created.schema.migrate();
  await created.close();
  await loadEvents(path, { events, load: 1, projects: PROJECTS, ...SPAN }, () => undefined);
  await materializeAll(path, PROJECTS, () => undefined, NOW_MS);
  const engine = await open();
  onEnd(() => engine.close());
  return engine;
}

/** For each question: the processor time of each engine, in microseconds. */
async function askAll(engines: readonly LocalEngine[]): Promise<number[][]> {
  const runs = engines.map(({ relations, select }) =>
    createRunReport({
      // Without `reads` the engine runs every statement.
      engine: { relations, select: (sql, { reads: _reads, ...given } = {}) => select(sql, given) },
      clock: { nowMs: () => NOW_MS },
      slots: createQuerySlots({ running: 1, waiting: 1, waitMs: 60_000 }),
    }),
  );
  const projects = PROJECTS.map((id) => ({ id, excludeBots: true, retentionDays: null }));
  const medians: number[][] = [];
  for (const [, name, query] of QUESTIONS) {
    const read = readQuestion(REPORTS[name], { limit: 50, offset: 0, ...query }, NOW_MS);
    if (!read.ok) throw new Error(`${name}: ${JSON.stringify([...read.failures])}`);
    const spent: number[][] = runs.map(() => []);
    for (let round = -WARM_UPS; round < ROUNDS; round += 1)
      for (const [nth, run] of runs.entries()) {
        const before = process.cpuUsage();
        await run(name, { workspaceId: "w", projects }, read.value, new AbortController().signal);
        const { user, system } = process.cpuUsage(before);
        if (round >= 0) spent[nth]?.push(user + system);
      }
    medians.push(spent.map(median));
  }
  return medians;
}

await runBench(measure, GIVE_UP_MS);

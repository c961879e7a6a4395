/**
 * `npm run bench:zones`: reports in the days of several time zones, compared with the same reports in UTC, in one process.
 *
 *   --events N   number of events (1,000,000), over 90 days up to now and 5 projects
 *   --days N     days of the window: without it the default one, 7 days and today
 *   --report R   only this report; may be given several times
 *
 * It counts processor time, which other load of the machine changes little. Nothing is answered from kept rows.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ReportQuery } from "../src/contract/analytics.ts";
import type { ReportName } from "../src/contract/reports.ts";
import { openLocalEngine } from "../src/engines/duckdb/engine.ts";
import { DEFAULT_LIMITS } from "../src/engines/duckdb/limits.ts";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { readQuestion } from "../src/query/report/question.ts";
import { REPORTS } from "../src/query/reports/index.ts";
import { createRunReport, type RunReport } from "../src/query/run/run-report.ts";
import { createQuerySlots } from "../src/query/run/slots.ts";
import { fileOf, loadEvents, materializeAll } from "./query-load.ts";
import { type OnEnd, print, runBench } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "1000000" },
    days: { type: "string" },
    report: { type: "string", multiple: true },
  },
});
const GIVE_UP_MS = 3_600_000;
const ROUNDS = 15;
const WARM_UPS = 3;
const MOST = 1.5;
const PROJECTS = ["one", "two", "three", "four", "five"];
const ZONES = ["America/New_York", "Asia/Kolkata", "Pacific/Auckland"];
const SWAP = [
  { type: "page", event: "" },
  { type: "transaction", event: "" },
];

/** What the pages of the dashboard ask. */
const QUESTIONS: Readonly<Partial<Record<ReportName, ReportQuery>>> = {
  kpis: { include_previous_period: true },
  top_sources: {},
  top_pages: {},
  top_locations: {},
  top_chains: {},
  top_wallets: {},
  top_events: {},
  revenue_overview: {},
  revenue_by_metric: { metric_column: "referrer" },
  event_timeseries: {},
  heatmap: {},
  breakdown: { column: "referrer" },
  lifecycle: {},
  frequency: {},
  retention: {},
  funnel: { steps: JSON.stringify(SWAP) },
  flow: { start_step: JSON.stringify(SWAP[0]) },
};

async function measure(onEnd: OnEnd): Promise<readonly Verdict[]> {
  const dir = mkdtempSync(join(tmpdir(), "sextant-zones-"));
  onEnd(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(dir, { recursive: true });
  const path = fileOf(dir);
  const created = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  await created.schema.migrate();
  await created.close();
  const plan = { events: Number(options.events), load: 1, projects: PROJECTS };
  await loadEvents(path, plan, () => undefined);
  const clean = await materializeAll(path, PROJECTS, () => undefined);
  print(`${options.events} events, ${clean} clean partitions, processor ms in UTC and what a zone takes of it\n`);
  const engine = await openLocalEngine({ path, limits: DEFAULT_LIMITS, nowMs: Date.now });
  onEnd(() => engine.close());
  const run = createRunReport({
    // Without `reads` the engine runs every statement.
    engine: {
      relations: engine.relations,
      select: (sql, { reads: _reads, ...given } = {}) => engine.select(sql, given),
    },
    clock: { nowMs: Date.now },
    slots: createQuerySlots({ running: 1, waiting: 1, waitMs: 60_000 }),
  });
  const wanted = (Object.keys(QUESTIONS) as ReportName[]).filter((name) => options.report?.includes(name) ?? true);
  print(`${"report".padEnd(20)}${"UTC".padStart(9)}${ZONES.map((zone) => zone.padStart(20)).join("")}\n`);
  const ratios = [];
  for (const name of wanted) {
    const [utc = 0, ...others] = await timeZones(run, name);
    ratios.push({ name, most: Math.max(...others) / utc });
    const shown = others.map((ms) => (ms / utc).toFixed(2).padStart(20)).join("");
    print(`${name.padEnd(20)}${utc.toFixed(1).padStart(9)}${shown}\n`);
  }
  return ratios.map(({ name, most }) => line(`${name} in a zone, against UTC`, most, 2, "", { atMost: MOST }));
}

/** Processor milliseconds in UTC and in each zone, asked in turn. */
async function timeZones(run: RunReport, name: ReportName): Promise<number[]> {
  const spent = ["UTC", ...ZONES].map((zone) => ({ zone, ms: [] as number[] }));
  for (let round = -WARM_UPS; round < ROUNDS; round += 1)
    for (const { zone, ms } of spent) {
      const before = process.cpuUsage();
      await ask(run, name, zone);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) ms.push((user + system) / 1000);
    }
  return spent.map(({ ms }) => median(ms));
}

async function ask(run: RunReport, name: ReportName, timezone: string): Promise<void> {
  const nowMs = Date.now();
  const dates = {
    ...(options.days === undefined ? {} : { date_from: dayOf(nowMs - Number(options.days) * DAY_MS) }),
    ...(name === "funnel" || name === "flow" ? { date_from: dayOf(nowMs - 7 * DAY_MS), date_to: dayOf(nowMs) } : {}),
  };
  const query = { limit: 50, offset: 0, ...QUESTIONS[name], ...dates, timezone };
  const read = readQuestion(REPORTS[name], query, nowMs);
  if (!read.ok) throw new Error(`${name}: ${JSON.stringify([...read.failures])}`);
  const projects = PROJECTS.map((id) => ({ id, excludeBots: true, retentionDays: null }));
  await run(name, { workspaceId: "w", projects }, read.value, new AbortController().signal);
}

await runBench(measure, GIVE_UP_MS);

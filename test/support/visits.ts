import type { ReportQuery } from "../../src/contract/analytics.ts";
import type { ReportName } from "../../src/contract/reports.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { createRunReport, type RunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { questionOf } from "../../src/query/testing.ts";
import { BLANK_ROW } from "./blank-row.ts";

export type Visit = readonly [day: string, visitor: string, device?: string];

/** One page on chain 1 with a revenue of 1 for each. */
export async function storeVisits(engine: AnalyticsEngine, visits: readonly Visit[], project_id = "p"): Promise<void> {
  const rows = visits.map(([day, anonymous_id, device = ""]) => ({
    ...BLANK_ROW,
    project_id,
    dedupe_day: day,
    message_id: anonymous_id,
    timestamp: Date.parse(`${day}T12:00:00Z`),
    type: "page",
    anonymous_id,
    device,
    acquisition: "Direct",
    chain_id: "1",
    revenue: 1,
    event: "Buy",
  }));
  await engine.importRows("events", rows);
}

/** Makes every past partition clean, without waiting for late events. */
export async function materializeAll(
  engine: AnalyticsEngine,
  nowMs = Date.now(),
  withoutBots: readonly string[] = [],
): Promise<void> {
  const { maintenance } = engine;
  const dirty = await maintenance.listDirty(nowMs + MARGINS.dayIsOverMs, withoutBots);
  await maintenance.materialize(dirty, new AbortController().signal);
}

export function startReports(engine: AnalyticsEngine, clock = systemClock): RunReport {
  return createRunReport({ engine, clock, slots: createQuerySlots({ running: 10, waiting: 1, waitMs: 1 }) });
}

/** The result of a report for project p in March 2026. */
export async function askMarch(
  run: RunReport,
  name: ReportName,
  query: Partial<ReportQuery> = {},
  retentionDays: number | null = null,
): Promise<readonly unknown[]> {
  const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays }] };
  const asked = { date_from: "2026-03-01", date_to: "2026-03-31", limit: 50, offset: 0, ...query };
  return (await run(name, owner, questionOf(name, asked), new AbortController().signal)).data;
}

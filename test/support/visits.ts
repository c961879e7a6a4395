import { text } from "node:stream/consumers";
import type { ReportQuery } from "../../src/contract/analytics.ts";
import type { AnalyticsEngine } from "../../src/engines/analytics.ts";
import { systemClock } from "../../src/lib/clock.ts";
import type { ReportName } from "../../src/query/reports.ts";
import { createRunReport, type RunReport } from "../../src/query/run.ts";
import { createTurns } from "../../src/query/turns.ts";
import { createDayBook, LATE } from "../../src/warehouse/day-book.ts";

export type Visit = readonly [day: string, visitor: string];

/** One page on chain 1 with a revenue of 1 for each, of project p. */
export async function storeVisits(engine: AnalyticsEngine, visits: readonly Visit[]): Promise<void> {
  await createDayBook(engine, systemClock).open(
    visits.map(([day]) => ({ project_id: "p", day, key_day: day })),
    LATE,
  );
  const rows = visits.map(([day, anonymous_id]) => ({
    ...{ project_id: "p", day, message_id: anonymous_id, timestamp: `${day} 12:00:00.000`, first: 1, type: "page" },
    ...{ anonymous_id, acquisition: "Direct", chain_id: "1", revenue: 1, event: "Buy" },
  }));
  await engine.insert({ table: "events", body: Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")) });
}

/** Reports that remember nothing of the days yet. */
export function freshReports(engine: AnalyticsEngine, clock = systemClock): RunReport {
  return createRunReport({ engine, clock, turns: createTurns({ running: 10, waiting: 1, waitMs: 1 }) });
}

/** What a report says of project p in March 2026. */
export async function askMarch(
  run: RunReport,
  name: ReportName,
  query: Partial<ReportQuery> = {},
  retentionDays: number | null = null,
): Promise<unknown[]> {
  const scope = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays }] };
  const asked = { date_from: "2026-03-01", date_to: "2026-03-31", limit: 50, offset: 0, ...query };
  const { body } = await run(name, scope, asked, new AbortController().signal);
  return (JSON.parse(await text(body)) as { data: unknown[] }).data;
}

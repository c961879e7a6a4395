import type { AnalyticsEngine, Cte, SelectParams, Statistics } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { withParts } from "../lib/sql.ts";
import { type Plan, planReport, type Question, type ReportOwner } from "./question.ts";
import { REPORTS, type Report, type ReportName } from "./reports.ts";
import type { QuerySlots } from "./slots.ts";

export type RunReport = (
  name: ReportName,
  owner: ReportOwner,
  question: Question,
  signal: AbortSignal,
  /** The milliseconds that the engine worked, also for a report that failed. */
  spent?: (engineMs: number) => void | Promise<void>,
) => Promise<ReportAnswer>;

export interface ReportAnswer {
  readonly meta: readonly { readonly name: string; readonly type: "String" | "UInt64" | "Float64" }[];
  readonly data: readonly Readonly<Record<string, string | number>>[];
  readonly rows: number;
  readonly rows_before_limit_at_least: number;
  readonly statistics: Statistics;
}

/**
 * The end of a report: answered, abandoned by its client, limited because all slots of the workspace were taken, or
 * failed.
 */
export type ReportOutcome = "answered" | "abandoned" | "limited" | "failed";

export interface ReportDeps {
  engine: Pick<AnalyticsEngine, "select" | "relations">;
  clock: Clock;
  slots: QuerySlots;
  /** The time from the validated query to the answer, with the wait for a slot. */
  observe?(name: ReportName, outcome: ReportOutcome, seconds: number): void;
}

/** Runs a report: plans the statement, waits for a slot, and queries the engine. */
export function createRunReport(deps: ReportDeps): RunReport {
  return async (name, owner, question, signal, spent) => {
    const report: Report = REPORTS[name];
    const plan = planReport(report, owner, question, deps.clock.nowMs());
    const startedAt = performance.now();
    const end = (outcome: ReportOutcome) => deps.observe?.(name, outcome, (performance.now() - startedAt) / 1000);
    const failed = (otherwise: ReportOutcome) => (signal.aborted ? "abandoned" : otherwise);
    let release: () => void;
    try {
      release = await deps.slots.acquire(owner.workspaceId, signal);
    } catch (cause) {
      end(failed("limited"));
      throw cause;
    }
    const admittedAt = performance.now();
    try {
      const answer = await answerReport(deps.engine, report, plan, question, signal);
      end("answered");
      return answer;
    } catch (cause) {
      end(failed("failed"));
      throw cause;
    } finally {
      release();
      await spent?.(performance.now() - admittedAt);
    }
  };
}

const NOTHING_READ: Statistics = { elapsed: 0, rows_read: 0, bytes_read: 0 };

async function answerReport(
  engine: ReportDeps["engine"],
  report: Report,
  { asked, scope, valueName }: Plan,
  { limit, offset }: Question,
  signal: AbortSignal,
): Promise<ReportAnswer> {
  const shape = shapeOf(report, valueName);
  if (asked === undefined) return { ...shape([]), rows_before_limit_at_least: 0, statistics: NOTHING_READ };
  const relations = await engine.relations.forReport(scope, signal);
  const ctes = [...relations.ctes, ...asked.ctes];
  const allParams = { ...relations.params, ...asked.params };
  const sql = reportSql(ctes, report);
  const { rows, statistics } = await engine.select<CountedRow>(sql, {
    params: usedParams(sql, { ...allParams, limit, offset }),
    signal,
  });
  const found = rows[0]?.rows_before_limit;
  // A page beyond the end has no row that carries the total.
  const total = found ?? (offset === 0 ? 0 : await countRows(engine, ctes, allParams, signal));
  return { ...shape(rows), rows_before_limit_at_least: total, statistics };
}

type CountedRow = Readonly<Record<string, string | number>> & {
  readonly value: string;
  readonly rows_before_limit: number;
};

/** The statement of a page: sorted by the last measure first, then by value and project. */
export function reportSql(ctes: readonly Cte[], { measures }: Report): string {
  const names = measures.map(({ name }) => name);
  const order = [...names.toReversed().map((name) => `${name} DESC`), "value", "project_id"];
  return withParts(
    ctes,
    `SELECT project_id, value, ${names.join(", ")}, count() OVER () AS rows_before_limit
FROM counts
ORDER BY ${order.join(", ")}
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
  );
}

async function countRows(
  engine: ReportDeps["engine"],
  ctes: readonly Cte[],
  params: SelectParams,
  signal: AbortSignal,
): Promise<number> {
  const sql = withParts(ctes, "SELECT count() AS n FROM counts");
  const { rows } = await engine.select<{ n: number }>(sql, { params: usedParams(sql, params), signal });
  return rows[0]?.n ?? 0;
}

/** The parameters that a statement uses. */
function usedParams(sql: string, params: SelectParams): SelectParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`{${name}:`)));
}

/** The answer has the report's own column types, independent of the engine's. */
function shapeOf({ measures }: Report, valueName: string) {
  const text = (name: string) => ({ name, type: "String" }) as const;
  const meta = [text("project_id"), text(valueName), ...measures];
  return (rows: readonly CountedRow[]) => ({
    meta,
    data: rows.map((row) => {
      const shown: Record<string, string | number> = { project_id: row.project_id ?? "", [valueName]: row.value };
      for (const { name } of measures) shown[name] = row[name] ?? 0;
      return shown;
    }),
    rows: rows.length,
  });
}

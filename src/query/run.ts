import type { AnalyticsEngine, Cte, SelectParams, Statistics } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { withParts } from "../lib/sql.ts";
import { inSlot, type SlotDeps, type Spent } from "./in-slot.ts";
import { type Plan, planReport, type Question, type ReportOwner } from "./question.ts";
import type { Asked, Column, Report, Row, Value } from "./report.ts";
import { REPORTS, type ReportName } from "./reports/index.ts";

export type RunReport = (
  name: ReportName,
  owner: ReportOwner,
  question: Question,
  signal: AbortSignal,
  spent?: Spent,
) => Promise<ReportAnswer>;

export interface ReportAnswer {
  readonly meta: readonly { readonly name: string; readonly type: string }[];
  readonly data: readonly Row[];
  readonly rows: number;
  readonly rows_before_limit_at_least: number;
  readonly statistics: Statistics;
}

export interface ReportDeps extends SlotDeps {
  engine: Pick<AnalyticsEngine, "select" | "relations">;
  clock: Clock;
}

/** Runs a report: plans the statement, waits for a slot, and queries the engine. */
export function createRunReport(deps: ReportDeps): RunReport {
  return async (name, owner, question, signal, spent) => {
    const report: Report = REPORTS[name];
    const plan = planReport(report, owner, question, deps.clock.nowMs());
    return inSlot(deps, name, owner.workspaceId, signal, spent, () => answerReport(deps.engine, plan, signal));
  };
}

const NOTHING_READ: Statistics = { elapsed: 0, rows_read: 0, bytes_read: 0 };

async function answerReport(
  engine: ReportDeps["engine"],
  { asked, scope }: Plan,
  signal: AbortSignal,
): Promise<ReportAnswer> {
  if (asked.ctes.length === 0) {
    const answer = shape(asked, []);
    return { ...answer, rows_before_limit_at_least: answer.rows, statistics: NOTHING_READ };
  }
  const relations = await engine.relations.forReport(scope, signal);
  const ctes = [...relations.ctes, ...asked.ctes];
  const allParams = { ...relations.params, ...asked.params };
  const sql = reportSql(ctes, asked);
  const { rows, statistics } = await engine.select<CountedRow>(sql, {
    params: usedParams(sql, { ...allParams, ...asked.page }),
    signal,
  });
  const answer = shape(asked, rows);
  if (asked.page === undefined) return { ...answer, rows_before_limit_at_least: answer.rows, statistics };
  const found = rows[0]?.rows_before_limit;
  // A page beyond the end has no row that carries the total.
  const total = found ?? (asked.page.offset === 0 ? 0 : await countRows(engine, ctes, allParams, signal));
  return { ...answer, rows_before_limit_at_least: total, statistics };
}

type CountedRow = Row & { readonly rows_before_limit: number };

/** The statement of a page, or of all rows. */
export function reportSql(ctes: readonly Cte[], { columns, order, page }: Asked): string {
  const names = columns.map(nameOf).join(", ");
  const [total, limits] =
    page === undefined
      ? ["", ""]
      : [", count() OVER () AS rows_before_limit", "\nLIMIT {limit:UInt32} OFFSET {offset:UInt32}"];
  return withParts(ctes, `SELECT ${names}${total}\nFROM counts\nORDER BY ${order.join(", ")}${limits}`);
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
function shape({ columns, finish }: Asked, rows: readonly Row[]) {
  const counted = rows.map((row) => toRow(columns, row));
  const data = finish?.rows(counted) ?? counted;
  return { meta: finish?.meta ?? columns.map(({ name, type }) => ({ name, type })), data, rows: data.length };
}

function toRow(columns: readonly Column[], row: Row): Row {
  const shown: Record<string, Value> = {};
  for (const column of columns) shown[column.name] = row[nameOf(column)] ?? emptyOf(column);
  return shown;
}

function nameOf({ name, from }: Column): string {
  return from ?? name;
}

function emptyOf({ type }: Column): Value {
  if (type.startsWith("Nullable")) return null;
  return type === "String" || type === "Date" ? "" : 0;
}

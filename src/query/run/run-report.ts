import type { ReportName } from "../../contract/reports.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Cte, FoundRelations, Relations } from "../../engines/relations.ts";
import type { KeptStatement, SelectParams, Statistics } from "../../engines/select.ts";
import type { Clock } from "../../lib/clock.ts";
import { collectInSlices } from "../../lib/time-slices.ts";
import { findImported, type ImportedNote } from "../report/imported.ts";
import { withoutClean, withoutRunning } from "../report/parts.ts";
import { type Plan, planReport, type Question, type ReportOwner } from "../report/question.ts";
import type { Column, Report, ReportStatement, Row, Value } from "../report/report.ts";
import { REPORTS } from "../reports/index.ts";
import { inSlot, type SlotDeps, type Spent } from "./in-slot.ts";
import { withRelations } from "./with-relations.ts";

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
  /** Of days in the window that another product counted. */
  readonly imported?: ImportedNote;
  /** Whose days they are. */
  readonly timezone: string;
}

export interface ReportDeps extends SlotDeps {
  engine: Pick<AnalyticsEngine, "select" | "relations">;
  clock: Clock;
}

/** Runs a report that is in no catalogue. `name` is the one in the metrics. */
export type RunOther = (
  name: string,
  report: Report,
  owner: ReportOwner,
  question: Question,
  signal: AbortSignal,
  spent?: Spent,
) => Promise<ReportAnswer>;

/** Runs a report: plans the statement, waits for a slot, and queries the engine. */
export function createRunOther(deps: ReportDeps): RunOther {
  return async (name, report, owner, question, signal, spent) =>
    inSlot(deps, name, owner.workspaceId, signal, spent, async () => {
      const imports = await findImported(deps.engine, owner, question.zone, signal);
      const plan = planReport(report, owner, question, deps.clock.nowMs(), imports);
      const answer = { ...(await answerReport(deps.engine, plan, signal)), timezone: question.zone };
      return plan.imported === undefined ? answer : { ...answer, imported: plan.imported };
    });
}

export function createRunReport(deps: ReportDeps): RunReport {
  const run = createRunOther(deps);
  return (name, ...rest) => run(name, REPORTS[name], ...rest);
}

const NOTHING_READ: Statistics = { elapsed: 0, rows_read: 0, bytes_read: 0 };

async function answerReport(engine: ReportDeps["engine"], plan: Plan, signal: AbortSignal) {
  const counted = await count(engine, plan, signal);
  if (plan.compared === undefined) return { ...(await shape(plan.statement, counted.rows)), ...counted.found };
  const compared = await count(engine, plan.compared(counted.rows), signal);
  return {
    ...(await shape(plan.statement, counted.rows, compared.rows)),
    statistics: addStatistics(counted.found.statistics, compared.found.statistics),
  };
}

interface Counted {
  readonly rows: readonly Row[];
  readonly found: { readonly statistics: Statistics; readonly rows_before_limit_at_least?: number };
}

/** Runs one statement of a report. */
async function count(
  engine: ReportDeps["engine"],
  { statement, scope }: Pick<Plan, "statement" | "scope">,
  signal: AbortSignal,
): Promise<Counted> {
  if (statement.ctes.length === 0) return { rows: [], found: { statistics: NOTHING_READ } };
  const relations = await engine.relations.forReport(scope, signal);
  const own = narrowTo(relations, ctesFor(engine.relations, statement));
  const ctes = [...relations.ctes, ...own];
  const allParams = { ...relations.params, ...statement.params };
  const sql = reportSql(ctes, statement);
  const kept = keptStatement(relations, own, statement);
  const { rows, statistics } = await engine.select<CountedRow>(sql, {
    params: usedParams([sql, ...(kept ? [kept.rows, kept.mark] : [])].join("\n"), {
      ...allParams,
      ...limitsOf(statement),
    }),
    reads: relations.reads,
    signal,
    ...(kept && { kept }),
  });
  const shown = await collectInSlices(toRows(statement.columns, rows));
  if (statement.page === undefined) return { rows: shown, found: { statistics } };
  const total = rows[0]?.rows_before_limit;
  // A page beyond the end has no row that carries the total.
  const before =
    total ??
    (statement.page.offset === 0 ? 0 : await countRows(engine, { ...relations, ctes, params: allParams }, signal));
  return { rows: shown, found: { statistics, rows_before_limit_at_least: before } };
}

/** The same statement over a relation that the engine can keep, where it reads sessions. */
function keptStatement(
  { kept }: FoundRelations,
  own: readonly Cte[],
  statement: ReportStatement,
): KeptStatement | undefined {
  if (kept === undefined || !own.some(({ sql }) => READS_SESSIONS.test(sql))) return undefined;
  const { ctes, rows, mark } = kept;
  return { sql: reportSql([...ctes, ...own], statement), rows, mark };
}

const READS_SESSIONS = /\b(?:FROM|JOIN) (?:open_)?sessions\b/;

/** Without what reads days that the question has none of. */
export function narrowTo({ noneClean, noneRunning }: FoundRelations, ctes: readonly Cte[]): readonly Cte[] {
  const withRunning = noneRunning ? withoutRunning(ctes) : ctes;
  return noneClean ? withoutClean(withRunning) : withRunning;
}

/** The CTEs in the form that suits the engine. */
export function ctesFor(
  { sharesCtes }: Pick<Relations, "sharesCtes">,
  { ctes, unshared = ctes }: ReportStatement,
): readonly Cte[] {
  return sharesCtes ? ctes : unshared;
}

function addStatistics(a: Statistics, b: Statistics): Statistics {
  return {
    elapsed: a.elapsed + b.elapsed,
    rows_read: a.rows_read + b.rows_read,
    bytes_read: a.bytes_read + b.bytes_read,
  };
}

type CountedRow = Row & { readonly rows_before_limit: number };

/** The statement of a page, or of all rows. */
export function reportSql(ctes: readonly Cte[], { columns, order, page }: ReportStatement): string {
  const names = columns.map(nameOf).join(", ");
  const [total, limits] =
    page === undefined
      ? ["", ""]
      : [", count() OVER () AS rows_before_limit", "\nLIMIT {limit:UInt32} OFFSET {offset:UInt32}"];
  return withRelations(ctes, `SELECT ${names}${total}\nFROM counts\nORDER BY ${order.join(", ")}${limits}`);
}

async function countRows(
  engine: ReportDeps["engine"],
  { ctes, params, reads }: FoundRelations,
  signal: AbortSignal,
): Promise<number> {
  const sql = withRelations(ctes, "SELECT count() AS n FROM counts");
  const { rows } = await engine.select<{ n: number }>(sql, { params: usedParams(sql, params), reads, signal });
  return rows[0]?.n ?? 0;
}

/** The page alone: it may be a whole context, and that has all projects, also those that keep none of the days. */
function limitsOf({ page }: ReportStatement): SelectParams {
  return page === undefined ? {} : { limit: page.limit, offset: page.offset };
}

/** The parameters that a statement uses. */
function usedParams(sql: string, params: SelectParams): SelectParams {
  return Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`{${name}:`)));
}

/** The answer has the report's own column types, independent of the engine's. */
async function shape({ columns, finish }: ReportStatement, counted: readonly Row[], compared: readonly Row[] = []) {
  const data = finish === undefined ? counted : await collectInSlices(finish.rows(counted, compared));
  const meta = finish?.meta ?? columns.map(({ name, type }) => ({ name, type }));
  return { meta, data, rows: data.length, rows_before_limit_at_least: data.length };
}

function* toRows(columns: readonly Column[], rows: readonly Row[]): Iterable<Row> {
  for (const row of rows) {
    const shown: Record<string, Value> = {};
    for (const column of columns) shown[column.name] = row[nameOf(column)] ?? emptyOf(column);
    yield shown;
  }
}

function nameOf({ name, from }: Column): string {
  return from ?? name;
}

function emptyOf({ type }: Column): Value {
  if (type.startsWith("Nullable")) return null;
  return type === "String" || type === "Date" ? "" : 0;
}

/** Asks the number of a metric alert: in windows that lie apart (one evaluation), or in all of a grid (a preview). */
import { ApiError } from "../../contract/errors.ts";
import type { ReportName } from "../../contract/reports.ts";
import { UTC } from "../../lib/time-zones.ts";
import type { ReportOwner } from "../../query/report/question.ts";
import type { Reports } from "../../query/run/ask.ts";
import type { Spent } from "../../query/run/in-slot.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { bindDates, type Days } from "../../query/sql/bind-dates.ts";
import type { RunSql } from "../../query/sql/run-sql.ts";
import { readValueRows, splitValues } from "../../query/sql/value-rows.ts";
import type { AskWindows, WindowQuery } from "../../query/windows/ask-windows.ts";
import { type Outcomes, outcomesIn } from "../../query/windows/ledger.ts";
import { type Comb, daysOf, type Grid, type Span, spansOf } from "../../query/windows/spans.ts";
import type { IngestValue, Params, Source } from "./metric.ts";
import { askedOf, numberOf } from "./report-number.ts";

/** What a saved chart asks about days. `column`: of a report's answer. */
export type ChartNumber =
  | { readonly kind: "sql"; readonly sql: string }
  | { readonly kind: "report"; readonly name: ReportName; readonly params: Params; readonly column: string };

export interface SourceDeps {
  ask: Reports["ask"];
  windows: AskWindows;
  runLookup: RunLookup;
  runSql: RunSql;
  /** Throws NOT_FOUND for a chart that is in no board of the project, or is no number. */
  getChartNumber(workspaceId: string, projectId: string, chartId: string, days: Days): Promise<ChartNumber>;
}

/** One project. */
export interface MetricOwner extends ReportOwner {
  readonly projects: readonly [ReportOwner["projects"][number]];
}

export interface Asking {
  readonly signal: AbortSignal;
  readonly spent?: Spent;
}

/** Null: there is nothing to compute the number of. */
export type Values = readonly (number | null)[];

/** In each span of the comb. */
export async function askComb(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  comb: Comb,
  asking: Asking,
): Promise<Values> {
  const { signal, spent } = asking;
  if (source.kind === "figure") return deps.windows.ofComb(owner, questionOf(source), comb, signal, spent);
  if (source.kind === "ingest")
    return (await deps.runLookup(outcomesIn(comb), owner, signal, spent)).map((one) => ingestNumber(source.value, one));
  const values: (number | null)[] = [];
  // One after the other: an alert takes one slot.
  for (const span of spansOf(comb)) values.push(await askSpan(deps, owner, source, span, asking));
  return values;
}

/** In the window that ends with each cell. Undefined: the source has no series, and is asked window by window. */
export async function askGrid(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  grid: Grid,
  { signal, spent }: Asking,
): Promise<Values | undefined> {
  if (source.kind === "figure") return deps.windows.ofGrid(owner, questionOf(source), grid, signal, spent);
  if (source.kind !== "ingest") return undefined;
  const found = await deps.runLookup(outcomesIn(grid), owner, signal, spent);
  return found.map((one) => ingestNumber(source.value, one));
}

/** Whether a preview asks one question for all its windows. */
export function hasSeries({ kind }: Source): boolean {
  return kind === "figure" || kind === "ingest";
}

type Single = Exclude<Source, { kind: "figure" | "ingest" }>;

export async function askSpan(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  span: Span,
  asking: Asking,
): Promise<number | null> {
  const { firstDay, lastDay } = daysOf(span);
  const days = { date_from: firstDay, date_to: lastDay };
  const asked = source as Single;
  if (asked.kind === "report") return askReport(deps, owner, asked, days, asking);
  const times = { time_from: timeOf(span.fromMs), time_to: timeOf(span.toMs) };
  if (asked.kind === "sql") return askSql(deps, owner, bindDates(asked.query, { ...days, ...times }), asking);
  const [project] = owner.projects;
  const chart = await deps.getChartNumber(owner.workspaceId, project.id, asked.chartId, days);
  if (chart.kind === "sql") return askSql(deps, owner, chart.sql, asking);
  return askReport(deps, owner, { name: chart.name, params: chart.params, value: chart.column, row: {} }, days, asking);
}

async function askReport(
  deps: SourceDeps,
  owner: MetricOwner,
  asked: Pick<Extract<Source, { kind: "report" }>, "name" | "params" | "value" | "row">,
  days: Days,
  { signal, spent }: Asking,
): Promise<number | null> {
  const { name, params, value, row } = asked;
  // Windows of alerts are days of UTC, whatever the zone of the project is.
  const query = { ...askedOf(name, params, row), ...days, timezone: UTC };
  const answer = await deps.ask(owner, name, query, signal, spent);
  return numberOf(answer, value, row);
}

async function askSql(
  { runSql }: SourceDeps,
  { workspaceId, projects: [project] }: MetricOwner,
  sql: string,
  { signal, spent }: Asking,
): Promise<number | null> {
  const { body } = await runSql({ workspaceId, project }, { sql, format: "values", defaultRows: 2 }, signal, spent);
  const { columns, rows } = await readValueRows(body, (count) => count >= 2);
  if (rows.length === 0) return null;
  if (rows.length > 1 || columns.length !== 1)
    throw new ApiError("BAD_REQUEST", "The answer must be one row with one column", { param: "body.query" });
  const value: unknown = JSON.parse(splitValues(rows[0] ?? "[]")[0] ?? "null");
  if (value === null) return null;
  // Large integers are texts in the answer.
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return number;
  throw new ApiError("BAD_REQUEST", "The answer must be a number", { param: "body.query" });
}

function questionOf({ name, params }: Extract<Source, { kind: "figure" }>) {
  const { filters, segment, page_scope } = askedOf("kpis", params, {});
  return { name, query: { filters, segment, page_scope } as WindowQuery };
}

function ingestNumber(value: IngestValue, outcomes: Outcomes): number | null {
  const share = (part: number) => (outcomes.received === 0 ? null : part / outcomes.received);
  if (value === "parked_rate") return share(outcomes.parked);
  if (value === "refused_rate") return share(outcomes.refused);
  return outcomes[value];
}

/** `2026-03-31 12:00:00` */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

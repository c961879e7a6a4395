/** Asks the number of a metric alert: in windows that lie apart (one evaluation), or in a series of them (a preview). */
import { ApiError } from "../../contract/errors.ts";
import type { ReportName } from "../../contract/reports.ts";
import { collectInSlices } from "../../lib/time-slices.ts";
import type { ReportOwner } from "../../query/report/question.ts";
import type { Reports } from "../../query/run/ask.ts";
import type { Spent } from "../../query/run/in-slot.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { bindDates, type Days } from "../../query/sql/bind-dates.ts";
import type { RunSql } from "../../query/sql/run-sql.ts";
import { readValueRows, splitValues } from "../../query/sql/value-rows.ts";
import type { AskWindows, WindowQuery } from "../../query/windows/ask-windows.ts";
import { addOutcomes, type Outcomes, outcomesIn } from "../../query/windows/ledger.ts";
import { type Comb, cellsOf, findComb, type Place, type Span } from "../../query/windows/spans.ts";
import type { IngestValue, Params, Source } from "./metric.ts";
import { askedOf, numberOf } from "./report-number.ts";
import { type Calendar, daysOfWindow } from "./windows.ts";

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
  readonly calendar: Calendar;
  readonly signal: AbortSignal;
  readonly spent?: Spent;
}

/** Null: there is nothing to compute the number of. */
export type Values = readonly (number | null)[];

/** In spans that may lie apart. They are one statement where all are as long and as far from each other. */
export async function askApart(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  spans: readonly Span[],
  asking: Asking,
): Promise<Values> {
  const comb = source.kind === "figure" || source.kind === "ingest" ? findComb(spans) : undefined;
  if (comb !== undefined) return askComb(deps, owner, source as Series, comb, asking);
  const values: (number | null)[] = [];
  // One after the other: an alert takes one slot.
  for (const span of spans) values.push(await askSpan(deps, owner, source, span, asking));
  return values;
}

async function askComb(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Series,
  comb: Comb,
  { signal, spent }: Asking,
): Promise<Values> {
  if (source.kind === "figure") return deps.windows.ofComb(owner, questionOf(source), comb, signal, spent);
  return (await deps.runLookup(outcomesIn(comb), owner, signal, spent)).map((one) => ingestNumber(source.value, one));
}

/** In many spans, by one statement about all the time that they span. */
export async function askSeries(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  spans: readonly Span[],
  { signal, spent }: Asking,
): Promise<Values> {
  const { grid, places } = await cellsOf(spans);
  const sources = source as Series;
  if (sources.kind === "ingest") {
    const cells = await deps.runLookup(outcomesIn(grid), owner, signal, spent);
    return collectInSlices(
      places.values().map(({ first, last }) => ingestNumber(sources.value, addOutcomes(cells.slice(first, last + 1)))),
    );
  }
  const cells = await deps.windows.ofGrid(owner, questionOf(sources), grid, signal, spent);
  // Days of 23 and 25 hours are asked only for events, and those add up.
  const valueIn = ({ first, last }: Place) =>
    first === last
      ? (cells[last] ?? null)
      : cells.slice(first, last + 1).reduce<number>((sum, one) => sum + (one ?? 0), 0);
  return collectInSlices(places.values().map(valueIn));
}

type Series = Extract<Source, { kind: "figure" | "ingest" }>;

async function askSpan(
  deps: SourceDeps,
  owner: MetricOwner,
  source: Source,
  span: Span,
  asking: Asking,
): Promise<number | null> {
  if (source.kind === "figure" || source.kind === "ingest") {
    const widthMs = span.toMs - span.fromMs;
    const comb = { endMs: span.toMs, widthMs, periodMs: widthMs, count: 1 };
    return (await askComb(deps, owner, source, comb, asking))[0] ?? null;
  }
  const days = daysOfWindow(asking.calendar, span);
  const asked = source;
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
  { calendar, signal, spent }: Asking,
): Promise<number | null> {
  const { name, params, value, row } = asked;
  const query = { ...askedOf(name, params, row), ...days, timezone: calendar.zone };
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

/** What the report of a board says: each chart as numbers, bars or a list, as far as a mail can show it. */
import type { ChartAnswer, Column } from "../boards/answer.ts";
import type { Chart } from "../boards/chart.ts";
import type { FailedChart } from "../boards/run-each.ts";
import type { ImportedNote } from "../query/report/imported.ts";
import { nameOfChain } from "./chain-names.ts";
import {
  CONTENT_LIMITS,
  cutName,
  type Figure,
  type Format,
  type Gathered,
  joinImported,
  type Part,
} from "./content.ts";

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Runs charts of the board for these days. */
export type RunBoard = (
  charts: readonly Chart[],
  days: Days,
) => Promise<{ readonly answers: ReadonlyMap<string, ChartAnswer>; readonly failed: readonly FailedChart[] }>;

type Row = Readonly<Record<string, unknown>>;

const ELSEWHERE = "A mail does not show charts of this kind: open the board to see it.";

export async function gatherBoard(
  run: RunBoard,
  charts: readonly Chart[],
  days: Days,
  before: Days,
): Promise<Gathered> {
  const shown = charts.slice(0, CONTENT_LIMITS.charts);
  const { answers, failed } = await run(shown, days);
  const numbers = shown.filter(({ chart_type: type, id }) => type === "number" && answers.has(id));
  // A number without the one before it is still a number.
  const earlier = numbers.length === 0 ? new Map<string, ChartAnswer>() : (await run(numbers, before)).answers;
  const errors = new Map(failed.map(({ chartId, error }) => [chartId, error]));
  const parts = shown.map((chart): Part => {
    const answer = answers.get(chart.id);
    const title = cutName(chart.title);
    if (answer === undefined) return { kind: "note", title, text: errors.get(chart.id) ?? "It has no answer." };
    return toPart(chart, title, answer, earlier.get(chart.id));
  });
  const left = charts.length - shown.length;
  const rest: Part[] =
    left === 0
      ? []
      : [{ kind: "note", title: `${left} more`, text: "The board has more charts: open it to see them." }];
  const notes = shown.map(({ id }) => importedOf(answers.get(id)));
  return { parts: [...joinFigures(parts), ...rest], imported: joinImported(notes) };
}

/** Numbers that follow each other are one table. */
function joinFigures(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === "figures" && last?.kind === "figures")
      joined[joined.length - 1] = { kind: "figures", figures: [...last.figures, ...part.figures] };
    else joined.push(part);
  }
  return joined;
}

function toPart(chart: Chart, title: string, answer: ChartAnswer, earlier: ChartAnswer | undefined): Part {
  const rows = rowsOf(answer);
  if (chart.chart_type === "funnel") return funnelPart(title, rows);
  if (chart.chart_type === "user_paths" || chart.chart_type === "retention")
    return { kind: "note", title, text: ELSEWHERE };
  const y = measureOf(chart, answer.columns);
  if (y === undefined) return { kind: "note", title, text: rows.length === 0 ? "Nothing in these days." : ELSEWHERE };
  if (chart.chart_type === "number") return { kind: "figures", figures: [figureOf(chart, title, y, rows, earlier)] };
  const x = nameColumnOf(chart, answer.columns, y);
  if (x === undefined) return { kind: "note", title, text: ELSEWHERE };
  if (isByDay(rows, x)) return seriesPart(chart, title, rows, x, y);
  return listPart(chart, title, rows, x, y);
}

function rowsOf({ text }: ChartAnswer): readonly Row[] {
  return (JSON.parse(text) as { data: Row[] }).data;
}

/** Those of charts that a mail shows as a note are said, too: the board has them. */
function importedOf(answer: ChartAnswer | undefined): ImportedNote | undefined {
  return answer && (JSON.parse(answer.text) as { imported?: ImportedNote }).imported;
}

function figureOf(
  chart: Chart,
  label: string,
  y: string,
  rows: readonly Row[],
  earlier: ChartAnswer | undefined,
): Figure {
  const before = earlier === undefined ? null : numberOf(rowsOf(earlier)[0]?.[y]);
  const lowerIsBetter = y === "bounce_rate";
  return { label, format: formatOf(chart, y), value: numberOf(rows[0]?.[y]) ?? 0, before, lowerIsBetter };
}

function funnelPart(title: string, rows: readonly Row[]): Part {
  // A breakdown repeats the steps for each value: the report without one has each step once.
  const isSplit = new Set(rows.map(({ step }) => step)).size < rows.length;
  if (isSplit) return { kind: "note", title, text: ELSEWHERE };
  const steps = rows
    .slice(0, CONTENT_LIMITS.rows)
    .map(({ event, users }) => ({ name: cutName(textOf(event)), value: numberOf(users) ?? 0 }));
  return { kind: "list", title, measure: "Visitors", format: "count", rows: steps, more: rows.length - steps.length };
}

/** Groups are added up only where the chart stacks them, as their sum is then what it draws. */
function seriesPart(chart: Chart, title: string, rows: readonly Row[], x: string, y: string): Part {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = textOf(row[x]);
    if (sums.has(name) && chart.chart_type !== "stacked") return { kind: "note", title, text: ELSEWHERE };
    sums.set(name, (sums.get(name) ?? 0) + (numberOf(row[y]) ?? 0));
  }
  const points = [...sums].map(([name, value]) => ({ name: name.replace(/ 00:00:00$/, ""), value }));
  if (points.length > CONTENT_LIMITS.points) return { kind: "note", title, text: ELSEWHERE };
  const sorted = points.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "series", title, format: formatOf(chart, y), points: sorted };
}

function listPart(chart: Chart, title: string, rows: readonly Row[], x: string, y: string): Part {
  const shown = rows.slice(0, CONTENT_LIMITS.rows).map((row) => ({
    name: cutName(x === "chain_id" ? nameOfChain(textOf(row[x])) : textOf(row[x]) || "(none)"),
    value: numberOf(row[y]) ?? 0,
  }));
  return {
    kind: "list",
    title,
    measure: cutName(y),
    format: formatOf(chart, y),
    rows: shown,
    more: rows.length - shown.length,
  };
}

/** What the chart draws, or the first number. */
function measureOf({ y_axis: chosen }: Chart, columns: readonly Column[]): string | undefined {
  const [first] = chosen ?? [];
  return columns.find(({ name }) => name === first)?.name ?? columns.find(({ type }) => isNumeric(type))?.name;
}

/** The ids of a project say nothing on a board, which is of one. */
function nameColumnOf({ x_axis: chosen }: Chart, columns: readonly Column[], y: string): string | undefined {
  const named = columns.find(({ name }) => name === chosen);
  const texts = columns.filter(({ name, type }) => name !== y && name !== "project_id" && !isNumeric(type));
  return (named ?? texts[0])?.name;
}

function isNumeric(type: string): boolean {
  return /^(Nullable\()?(U?Int|Float|Decimal)/.test(type);
}

const DAY = /^\d{4}-\d{2}-\d{2}( 00:00:00)?$/;

function isByDay(rows: readonly Row[], x: string): boolean {
  return rows.length > 0 && rows.every((row) => DAY.test(textOf(row[x])));
}

const AMOUNTS = /^(sum_)?(revenue|volume)$|^revenue_per_wallet$/;

/** What a statement of a user calls `conversion` may be a percentage already: its numbers are shown as they are. */
function formatOf({ report }: Chart, name: string): Format {
  if (report === null) return "count";
  if (AMOUNTS.test(name)) return "amount";
  if (name === "bounce_rate" || name === "exit_rate" || name === "conversion") return "percent";
  return name === "avg_session_sec" ? "duration" : "count";
}

/** Integers beyond 2^53 are texts. */
function numberOf(value: unknown): number | null {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

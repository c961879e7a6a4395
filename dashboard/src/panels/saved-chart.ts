/** How a chart of a board is drawn: one of the charts of the registry, with its look. */
import type { ChartFields, ChartStep } from "../api/boards.ts";
import { type AnyRow, cellText } from "../charts/any-row.ts";
import { CHART_NAMES } from "../charts/names.ts";
import type { ChartType, DrawnSpec } from "../charts/registry.ts";
import { valueName } from "../format/names.ts";
import type { Format } from "../format/numbers.ts";
import type { Asked } from "../format/range.ts";
import { fieldLabel } from "../state/filters.ts";
import { readStep, stepLabel } from "../state/steps.ts";
import { heightOf } from "./chart-place.ts";

/** Columns of reports that are not plain counts. */
const FORMATS: Readonly<Record<string, Format>> = {
  revenue: "amount",
  sum_revenue: "amount",
  revenue_per_wallet: "amount",
  volume: "amount",
  sum_volume: "amount",
  bounce_rate: "percent",
  exit_rate: "percent",
  conversion: "percent",
  avg_session_sec: "duration",
};

/** Shares and averages: the sum of two says nothing. */
const RATES = ["bounce_rate", "exit_rate", "conversion", "avg_session_sec", "revenue_per_wallet"];

/** Of SQL nothing is known but the number. */
function formatOf({ report, y_axis }: ChartFields): Format {
  if (!report) return "number";
  const formats = new Set((y_axis ?? []).map((name) => FORMATS[name] ?? "count"));
  return formats.size === 1 ? ([...formats][0] ?? "number") : "number";
}

/** Three heights of a chart on a board, in pixels of its drawing. */
const DRAWN_HEIGHTS = [84, 232, 452] as const;

/** What a chart asks, as a text: charts with the same one have the same answer, whatever their words and places are. */
export function questionText(chart: ChartFields): string {
  const { chart_type, query, report, params, x_axis, y_axis, group_by, steps, settings } = chart;
  const { layout: _, drawn: __, ...asked } = settings ?? {};
  return JSON.stringify([chart_type, query, report, params, x_axis, y_axis, group_by, steps, asked], (_name, value) =>
    value === undefined ? null : value,
  );
}

/** The chart that an answer is of. The page may know its newer words, its newer place and look, or its next question. */
export function answeredChart<T extends ChartFields>(answered: ChartFields | undefined, chart: T): ChartFields {
  if (answered === undefined || questionText(answered) === questionText(chart)) return chart;
  const { layout: _, ...settings } = answered.settings ?? {};
  const layout = chart.settings?.layout;
  return { ...answered, settings: layout === undefined ? settings : { ...settings, layout } };
}

export interface DrawnChart {
  spec: DrawnSpec;
  /** What the chart asks beside days and filters. */
  params: Asked;
}

export function drawnChart(chart: ChartFields, height?: number): DrawnChart {
  const { type, look } = typeAndLook(chart, height ?? DRAWN_HEIGHTS[heightOf(chart) - 1] ?? DRAWN_HEIGHTS[1]);
  // The compiler cannot see that a type and its look belong together once its name is a variable.
  const spec = { type, title: chart.title, look } as unknown as DrawnSpec;
  const own = Object.entries(chart.params ?? {}).filter(([, value]) => typeof value !== "object");
  const usual = chart.report && TIMES.includes(chart.x_axis ?? "") ? { interval: "day" } : {};
  return { spec, params: { ...usual, ...(Object.fromEntries(own) as Asked) } };
}

/** It has the rows of several segments, and a column that names them. */
export function comparesSegments({ settings }: Pick<ChartFields, "settings">): boolean {
  return (settings?.segments?.length ?? 0) > 0 || settings?.isCompared === true;
}

function typeAndLook(chart: ChartFields, height: number): { type: ChartType; look: object } {
  const { chart_type, settings } = chart;
  const drawn = settings?.drawn;
  if (drawn && !comparesSegments(chart) && isChartType(drawn.type))
    return { type: drawn.type, look: { ...drawn.look, height } };
  if (chart_type === "funnel") return funnelLook(chart);
  if (chart_type === "user_paths") return { type: "flow", look: {} };
  if (chart_type === "retention") return { type: "cohorts", look: { sinceFirstDay: true } };
  return columnsLook(chart, height);
}

function isChartType(name: unknown): name is ChartType {
  return CHART_NAMES.some((known) => known === name);
}

function funnelLook(chart: ChartFields): { type: ChartType; look: object } {
  const { steps, settings, group_by } = chart;
  const labels = (steps ?? []).map(labelOf);
  if (comparesSegments(chart))
    return { type: "funnel_groups", look: { group: "segment", label: "Segment", steps: labels, of: "first" } };
  const group = settings?.breakdown ?? group_by;
  if (!group) return { type: "funnel", look: { labels, of: "first" } };
  const column = group === "channel_type" ? "channel" : group;
  return { type: "funnel_groups", look: { group: column, label: fieldLabel(column), steps: labels, of: "first" } };
}

export function labelOf(step: ChartStep): string {
  const known = readStep(step);
  return known === undefined ? cellText(step.event ?? step.type) : stepLabel(known);
}

/** A bar chart of a report is the same list as the cards of the overview, with the names of countries and chains. */
function columnsLook(chart: ChartFields, height: number): { type: ChartType; look: object } {
  const { chart_type, report, x_axis, y_axis, group_by } = chart;
  const format = formatOf(chart);
  const [measure, second] = y_axis ?? [];
  const isCompared = comparesSegments(chart);
  if (isCompared && chart_type === "number") {
    return { type: "ranked", look: { column: "segment", name: "Segment", measure, label: measure, format } };
  }
  const isList = chart_type === "bar" && report && x_axis && measure && second === undefined && !group_by;
  if (isList && !TIMES.includes(x_axis)) {
    return { type: "ranked", look: { column: x_axis, name: x_axis, measure, label: measure, format } };
  }
  const columns = { x_axis: x_axis ?? undefined, y_axis: y_axis ?? undefined, group_by: group_by ?? undefined };
  // A day without events has no row in reports: it is a zero, as on the overview.
  const absent = report && TIMES.includes(x_axis ?? "") ? { absent: 0 } : {};
  const isRate = Boolean(report) && (y_axis ?? []).some((name) => RATES.includes(name));
  const look = { ...columns, format, height, ...absent, ...(isRate ? { isRate } : {}) };
  return { type: chart_type as ChartType, look: isCompared ? { ...look, isWide: true } : look };
}

/** Charts that show the values of columns as they are. */
const PLAIN: readonly ChartType[] = ["table", "bar", "line", "area", "pie", "stacked"];

/** The rows of a report as people read them: countries and chains by their names, and not the project in each row. */
export function readableRows(chart: ChartFields, type: ChartType, rows: readonly AnyRow[]): readonly AnyRow[] {
  const { report, x_axis, group_by } = chart;
  if (type === "funnel_groups" && comparesSegments(chart))
    return rows.map((row) => ({ ...row, breakdown: row.segment }));
  if (!report || !PLAIN.includes(type)) return rows;
  const named = type === "table" ? [] : [x_axis, group_by].filter((name) => name != null && NAMED.includes(name));
  return rows.map((whole): AnyRow => {
    const { project_id: _, ...row } = whole;
    const names = named.map((column) => [column, valueName(column ?? "", cellText(row[column ?? ""]))]);
    return { ...row, ...Object.fromEntries(names) };
  });
}

const NAMED = ["location", "chain_id", "channel", "rdns", "device", "browser", "os"];

const TIMES = ["date", "day", "hour", "week", "month"];

/** A chart while it is edited. */
import type { ChartType } from "../../../../src/contract/chart-types.ts";
import type { ChartFields } from "../../api/boards.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import { COLUMN_CHARTS, type ColumnChart, takenColumns, whyNot } from "../../charts/column-charts.ts";
import { type Columns, columnNames, guessColumns, numberColumns } from "../../charts/columns.ts";
import { comparesSegments } from "../../panels/saved-chart.ts";
import { isComplete, readStep } from "../../state/steps.ts";
import { usualParams } from "./report-choices.ts";

export const TYPE_NAMES: Readonly<Record<ChartType, string>> = {
  ...COLUMN_CHARTS,
  funnel: "Funnel",
  user_paths: "Paths",
  retention: "Retention",
};

/** What somebody begins with: it shows something at once. */
export const FIRST_DRAFT: ChartFields = {
  chart_type: "bar",
  title: "",
  report: "top_sources",
  params: usualParams("top_sources"),
  settings: { layout: { width: 2, height: 2 } },
};

export const FIRST_SQL =
  "SELECT toDate(timestamp) AS day, count() AS events\nFROM events\nWHERE toDate(timestamp) >= {{date_from}} AND toDate(timestamp) <= {{date_to}}\nGROUP BY day\nORDER BY day";

const FIRST_STEPS = [
  { type: "event", event: "page" },
  { type: "event", event: "connect" },
];

export function isColumnChart(type: ChartType): type is ColumnChart {
  return Object.hasOwn(COLUMN_CHARTS, type);
}

/** The same chart as another type, with what that type needs. */
export function withType(draft: ChartFields, type: ChartType): ChartFields {
  const { title, description = null } = draft;
  const { drawn: _, ...settings } = draft.settings ?? {};
  if (isColumnChart(type)) {
    if (isColumnChart(draft.chart_type) && !isReportOfType(draft.report))
      return { ...draft, chart_type: type, settings };
    return { ...FIRST_DRAFT, title, description, chart_type: type, settings };
  }
  const base = { chart_type: type, title, description, settings };
  if (type === "funnel") return { ...base, steps: draft.steps ?? FIRST_STEPS };
  if (type === "user_paths") return { ...base, settings: { anchors: [FIRST_STEPS[0] ?? {}], ...settings } };
  return base;
}

/** These have types of their own, which ask them better. */
function isReportOfType(report: string | null | undefined): boolean {
  return report === "retention" || report === "flow" || report === "funnel";
}

/** Reports and funnels compare segments. */
export function canCompare({ chart_type, report }: ChartFields): boolean {
  return chart_type === "funnel" || (isColumnChart(chart_type) && Boolean(report));
}

function withoutSegments(draft: ChartFields): ChartFields {
  const { segments: _, ...settings } = draft.settings ?? {};
  return { ...draft, settings };
}

/** The question alone: another title or another axis needs no other answer. */
export function questionOf(draft: ChartFields): ChartFields {
  const { chart_type, query, report, params, steps, settings, group_by } = canCompare(draft)
    ? draft
    : withoutSegments(draft);
  const { layout: _, drawn: __, ...asked } = settings ?? {};
  const own = isColumnChart(chart_type)
    ? { chart_type: "table" as const, query, report, params }
    : { chart_type, steps };
  const group = chart_type === "funnel" && group_by ? { group_by } : {};
  const compared = report && settings?.segments?.length ? { segments: settings.segments } : null;
  return { title: "Preview", ...own, ...group, settings: isColumnChart(chart_type) ? compared : asked } as ChartFields;
}

/** It can be asked: each step has its name, and SQL is there. */
export function isAskable({ chart_type, query, report, steps, settings }: ChartFields): boolean {
  const known = (given: readonly Readonly<Record<string, unknown>>[]) =>
    given.every((one) => {
      const step = readStep(one);
      return step === undefined || isComplete(step);
    });
  if (chart_type === "funnel") return (steps?.length ?? 0) >= 2 && known(steps ?? []);
  if (chart_type === "user_paths") return known(settings?.anchors ?? []);
  return chart_type === "retention" || Boolean(report) || (query ?? "").trim() !== "";
}

/** Reports name the project in each row; nobody wants it on an axis. */
const NOT_SHOWN = ["project_id"];

export function shownColumns(rows: readonly AnyRow[]): string[] {
  return columnNames(rows).filter((name) => !NOT_SHOWN.includes(name));
}

/** The axes that were chosen, or those that the rows allow. */
export function axesOf(draft: ChartFields, rows: readonly AnyRow[]): Columns {
  const { chart_type, report } = draft;
  if (!isColumnChart(chart_type) || chart_type === "table") return {};
  const names = shownColumns(rows);
  const known = (name: string | null | undefined) =>
    name && (names.includes(name) || rows.length === 0) ? name : undefined;
  const shown = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  const guessed = guessColumns(shown);
  const numbers = (draft.y_axis ?? []).filter((name) => known(name) !== undefined);
  if (chart_type === "number") {
    const [first] = numberColumns(shown);
    return report ? { y_axis: numbers.length > 0 ? numbers.slice(0, 1) : first === undefined ? [] : [first] } : {};
  }
  if (report && comparesSegments(draft)) return comparedAxes(draft, { numbers, guessed, x: known(draft.x_axis) });
  const columns = {
    x_axis: known(draft.x_axis) ?? guessed.x_axis,
    y_axis: numbers.length > 0 ? numbers : usualNumber(draft, names, guessed.y_axis),
    group_by: draft.group_by === "" ? undefined : (known(draft.group_by) ?? guessed.group_by),
  };
  return takenColumns(chart_type, columns);
}

/** Most reports count views first, and people ask for people. */
function usualNumber({ report }: ChartFields, names: readonly string[], guessed: readonly string[] = []) {
  return report && names.includes("visitors") ? ["visitors"] : guessed;
}

interface Found {
  numbers: readonly string[];
  guessed: Columns;
  /** The axis that was chosen, if the rows have it. */
  x: string | undefined;
}

/** One number, by segment. */
function comparedAxes({ chart_type }: ChartFields, { numbers, guessed, x }: Found): Columns {
  const type = chart_type as ColumnChart;
  const y_axis = (numbers.length > 0 ? numbers : (guessed.y_axis ?? [])).slice(0, 1);
  const x_axis = x ?? (type === "pie" ? "segment" : guessed.x_axis);
  return takenColumns(type, { x_axis, y_axis, group_by: "segment" });
}

/** The draft as it is saved. */
export function withAxes(given: ChartFields, rows: readonly AnyRow[]): ChartFields {
  const draft = canCompare(given) ? given : withoutSegments(given);
  if (!isColumnChart(draft.chart_type)) return draft;
  const { x_axis = null, y_axis = null, group_by = null } = axesOf(draft, rows);
  return { ...draft, x_axis, y_axis, group_by } as ChartFields;
}

/** Why the answer cannot be drawn so; undefined where it can. */
export function whyNotDrawn(draft: ChartFields, rows: readonly AnyRow[]): string | undefined {
  const { chart_type, report, settings } = draft;
  if (!isColumnChart(chart_type) || settings?.drawn !== undefined || rows.length === 0) return undefined;
  if (chart_type === "number" && report) {
    const most = settings?.segments?.length || 1;
    return rows.length === most ? undefined : "A number needs one row: choose the whole period, or another report.";
  }
  return whyNot(chart_type, rows, axesOf(draft, rows));
}

/** A chart while it is edited. */
import type { ChartType } from "../../../../src/contract/chart-types.ts";
import type { ChartFields } from "../../api/boards.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import {
  COLUMN_CHARTS,
  type ColumnChart,
  chosenColumns,
  TAKES,
  takenColumns,
  whyNot,
} from "../../charts/column-charts.ts";
import { type Columns, columnNames, numberColumns } from "../../charts/columns.ts";
import { comparesSegments, drawnChart, readableRows } from "../../panels/saved-chart.ts";
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

/** Charts of rows share a question; the others have one of their own. */
const familyOf = (type: ChartType) => (isColumnChart(type) ? "columns" : type);

/**
 * The same chart as another type, with what that type needs. `left` are the drafts from which somebody went to another
 * type, the last one at the end: whoever comes back finds them as they were.
 */
export function withType(draft: ChartFields, type: ChartType, left: readonly ChartFields[] = []): ChartFields {
  const { title, description = null } = draft;
  const { drawn: _, ...settings } = draft.settings ?? {};
  if (familyOf(type) === familyOf(draft.chart_type) && !isReportOfType(draft.report)) {
    const same = left.findLast((one) => one.chart_type === type && isSameQuestion(one, draft));
    const drawn = same?.settings?.drawn;
    const special = left.findLast((one) => one.chart_type === type && isReportOfType(one.report));
    if (special !== undefined && isSameQuestion(draft, FIRST_DRAFT)) return { ...special, title, description };
    return { ...draft, chart_type: type, settings: drawn === undefined ? settings : { ...settings, drawn } };
  }
  const known = left.findLast((one) => familyOf(one.chart_type) === familyOf(type) && !isReportOfType(one.report));
  if (known !== undefined) {
    const layout = settings.layout === undefined ? {} : { layout: settings.layout };
    const back = { ...known, title, description, settings: { ...known.settings, ...layout } };
    return back.chart_type === type ? back : withType(back, type, left);
  }
  if (isColumnChart(type)) return { ...FIRST_DRAFT, title, description, chart_type: type, settings };
  const base = { chart_type: type, title, description, settings };
  if (type === "funnel") return { ...base, steps: draft.steps ?? FIRST_STEPS };
  if (type === "user_paths") return { ...base, settings: { anchors: [FIRST_STEPS[0] ?? {}], ...settings } };
  return base;
}

function isSameQuestion(one: ChartFields, other: ChartFields): boolean {
  const asked = ({ query, report, params, settings }: ChartFields) =>
    JSON.stringify([query ?? null, report ?? null, params ?? null, settings?.segments ?? []]);
  return asked(one) === asked(other);
}

/** What a drawing is the same with: fewer rows of the same columns. */
const ROWS_ONLY = ["filters", "segment", "limit", "layout"];

/** A change of the form. A chart that came from a page is drawn as there, until its columns are others. */
export function withChanges(draft: ChartFields, changes: Partial<ChartFields>): ChartFields {
  const { drawn, ...settings } = { ...draft.settings, ...changes.settings };
  const next = { ...draft, ...changes, settings };
  return drawn !== undefined && drawnBy(next) === drawnBy(draft) ? { ...next, settings: { ...settings, drawn } } : next;
}

/** What the drawing of a chart depends on, as a text. */
function drawnBy({
  chart_type,
  query,
  report,
  x_axis,
  y_axis,
  group_by,
  steps,
  params,
  settings,
}: ChartFields): string {
  const kept = (of: Readonly<Record<string, unknown>> | null | undefined) =>
    Object.entries(of ?? {})
      .filter(([name, value]) => name !== "drawn" && value != null && !ROWS_ONLY.includes(name))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  const fields = [chart_type, query, report, x_axis, y_axis, group_by, steps].map((value) => value ?? null);
  return JSON.stringify([fields, kept(params), kept(settings)]);
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

/** Which axes somebody chooses here; none where the chart is drawn as on the page that it came from. */
export function chosenAxes({ chart_type: type, report, settings }: ChartFields): readonly string[] {
  if (!isColumnChart(type) || type === "table" || settings?.drawn) return [];
  if (type === "number") return report ? ["y_axis"] : [];
  const { axes, groups } = TAKES[type];
  return [...(axes ? ["x_axis"] : []), "y_axis", ...(groups ? ["group_by"] : [])];
}

/** The fields of which the form says what the service refuses, at their places. */
export function shownFields(draft: ChartFields): readonly string[] {
  const { chart_type: type, report } = draft;
  const compared = canCompare(draft) ? ["settings.segments"] : [];
  if (isColumnChart(type))
    return ["title", ...(report ? ["report", "params"] : ["query"]), ...chosenAxes(draft), ...compared];
  return ["title", ...(type === "funnel" ? ["steps"] : []), "settings"];
}

/** The axes that were chosen, or those that the rows allow. */
export function axesOf(draft: ChartFields, rows: readonly AnyRow[]): Columns {
  const { chart_type, report } = draft;
  if (!isColumnChart(chart_type) || chart_type === "table") return {};
  const names = shownColumns(rows);
  const shown = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  const { isGuessed, ...columns } = chosenColumns(shown, {
    x_axis: draft.x_axis ?? undefined,
    y_axis: draft.y_axis ?? [],
    group_by: draft.group_by === "" ? null : (draft.group_by ?? undefined),
  });
  const { y_axis: numbers = [] } = columns;
  if (chart_type === "number") {
    const [first] = numberColumns(shown);
    const [number = first] = isGuessed ? [] : numbers;
    return report ? { y_axis: number === undefined ? [] : [number] } : {};
  }
  if (report && comparesSegments(draft)) {
    // One number, by segment.
    const x = shown.length === 0 || names.includes(draft.x_axis ?? "") ? draft.x_axis : undefined;
    const x_axis = x ?? (chart_type === "pie" ? "segment" : columns.x_axis);
    return takenColumns(chart_type, { x_axis, y_axis: numbers.slice(0, 1), group_by: "segment" });
  }
  return takenColumns(chart_type, { ...columns, y_axis: isGuessed ? usualNumber(draft, names, numbers) : numbers });
}

/** Most reports count views first, and people ask for people. */
function usualNumber({ report }: ChartFields, names: readonly string[], guessed: readonly string[] = []) {
  return report && names.includes("visitors") ? ["visitors"] : guessed;
}

/** The draft as it is saved. Axes that nobody chose and no rows say are left to the service. */
export function withAxes(given: ChartFields, rows: readonly AnyRow[]): ChartFields {
  const draft = canCompare(given) ? given : withoutSegments(given);
  if (!isColumnChart(draft.chart_type)) return draft;
  const { x_axis, y_axis, group_by } = axesOf(draft, rows);
  return {
    ...draft,
    x_axis: x_axis ?? null,
    y_axis: y_axis === undefined || y_axis.length === 0 ? null : y_axis,
    group_by: group_by ?? null,
  };
}

/** All that a replacement of a chart keeps. */
export function fieldsOf(chart: ChartFields): ChartFields {
  const { chart_type, title, description, query, report, params, x_axis, y_axis, group_by, steps, settings } = chart;
  const fields = { chart_type, title, description, query, report, params, x_axis, y_axis, group_by, steps, settings };
  return fields as ChartFields;
}

/** A draft and its rows as they are drawn while it is edited. */
export function previewOf(draft: ChartFields, rows: readonly AnyRow[], height: number) {
  const why = whyNotDrawn(draft, rows);
  const whole = withAxes(draft, rows);
  const shown = why === undefined ? whole : { ...whole, chart_type: "table" as const };
  const { spec, params } = drawnChart(shown, height);
  return { why, spec, params, rows: readableRows(shown, spec.type, rows) };
}

/** Why the answer cannot be drawn so; undefined where it can. */
function whyNotDrawn(draft: ChartFields, rows: readonly AnyRow[]): string | undefined {
  const { chart_type, report, settings } = draft;
  if (!isColumnChart(chart_type) || settings?.drawn !== undefined || rows.length === 0) return undefined;
  if (chart_type === "number" && report) {
    const most = settings?.segments?.length || 1;
    return rows.length === most ? undefined : "A number needs one row: choose the whole period, or another report.";
  }
  return whyNot(chart_type, rows, axesOf(draft, rows));
}

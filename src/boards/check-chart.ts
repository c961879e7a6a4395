/**
 * The rules of each type of chart: what it needs, before and after its answer is known. A refusal is a BAD_REQUEST that
 * names the field.
 */
import type { TObject } from "typebox";
import type { ChartType } from "../contract/chart-types.ts";
import { CHART_LIMITS } from "../contract/charts.ts";
import { ApiError } from "../contract/errors.ts";
import { REPORT_CATALOGUE, type ReportName } from "../contract/reports.ts";
import { SEGMENT_COLUMN } from "../contract/segment-names.ts";
import { type ChartSpec, writeSpec } from "./chart.ts";
import { comparedOf } from "./compare-segments.ts";
import { readActivity } from "./retention-steps.ts";

interface Rules {
  /** Which question it asks: SQL or a report of the author's choice, or one of its own. */
  readonly asks: "any" | "own";
  readonly needsX?: true;
  /** How many columns of y_axis. */
  readonly y?: "one" | "some";
  readonly needsGroup?: true;
}

const RULES: Readonly<Record<ChartType, Rules>> = {
  table: { asks: "any" },
  number: { asks: "any" },
  bar: { asks: "any", needsX: true, y: "some" },
  line: { asks: "any", needsX: true, y: "some" },
  area: { asks: "any", needsX: true, y: "some" },
  pie: { asks: "any", y: "one" },
  stacked: { asks: "any", needsX: true, y: "one", needsGroup: true },
  funnel: { asks: "own" },
  user_paths: { asks: "own" },
  retention: { asks: "own" },
};

/** Parameters that a board or its question gives. */
const NOT_SAVED = ["date_from", "date_to", "dateFrom", "dateTo", "project_id"];
const LEAST_STEPS = 2;
const MOST_ANCHORS = 2;

export function refuse(field: string, message: string): never {
  throw new ApiError("BAD_REQUEST", message, { param: `body.${field}` });
}

/** Whether its question is SQL, which has its own conditions and days. A chart with a report of its own asks none. */
export function asksSql({ chart_type, report, query }: Pick<ChartSpec, "chart_type" | "report" | "query">): boolean {
  return RULES[chart_type].asks === "any" && report === null && query !== null;
}

/** What can be said before the question is asked. The axes of a report may still be missing. */
export function checkQuestion(spec: ChartSpec): void {
  const kept = writeSpec({ ...spec, query: null });
  if (kept.length > CHART_LIMITS.specChars)
    refuse("settings", `A chart has at most ${CHART_LIMITS.specChars} characters of settings, steps and params`);
  // PostgreSQL does not store NUL.
  if (kept.includes("\\u0000")) refuse("settings", "A chart must not have NUL characters");
  if (RULES[spec.chart_type].asks === "any") checkAsked(spec);
  else checkOwn(spec);
  if (comparedOf(spec).length > 0) checkSegments(spec);
}

/** The rows of each segment follow each other, and are told apart by a column. */
function checkSegments(spec: ChartSpec): void {
  const { chart_type: type, settings, group_by } = spec;
  const field = "settings.segments";
  if (asksSql(spec)) refuse(field, "SQL has its own conditions: only charts of reports and funnels compare segments");
  if (type === "user_paths" || type === "retention") refuse(field, `${nameOf(type)} chart cannot compare segments`);
  if (type === "funnel" && (settings?.breakdown ?? group_by) != null)
    refuse(field, "A funnel compares segments, or is split by a breakdown, and not both");
  if (type !== "funnel" && group_by !== null && group_by !== SEGMENT_COLUMN)
    refuse("group_by", `A chart that compares segments is grouped by ${SEGMENT_COLUMN}`);
}

/** What its columns must be. */
export function checkAxes(spec: ChartSpec): void {
  const { chart_type: type, x_axis, y_axis, group_by, report } = spec;
  const { needsX, needsGroup, y } = RULES[type];
  const name = nameOf(type);
  const columns = y_axis?.length ?? 0;
  if (needsX && x_axis === null) refuse("x_axis", `${name} chart must have an x_axis`);
  if (y !== undefined && columns === 0) refuse("y_axis", `${name} chart must have at least 1 y_axis`);
  if (y === "one" && columns > 1) refuse("y_axis", `${name} chart must have exactly 1 y_axis`);
  if (type === "area" && group_by !== null && columns > 1)
    refuse("y_axis", "Area chart with a group_by must have exactly 1 y_axis");
  if (y === "some" && columns > 1 && comparedOf(spec).length > 0)
    refuse("y_axis", `${name} chart that compares segments must have exactly 1 y_axis`);
  if (needsGroup && group_by === null) refuse("group_by", `${name} chart must have a group_by`);
  if (type === "number" && report !== null && columns !== 1)
    refuse("y_axis", "Number chart of a report must have exactly 1 y_axis");
}

function checkAsked({ chart_type, query, report, params, steps }: ChartSpec): void {
  const name = nameOf(chart_type);
  if (query === null && report === null) refuse("query", `${name} chart must have a query, or a report`);
  if (query !== null && report !== null) refuse("report", "A chart has a query or a report, and not both");
  if (params !== null && report === null) refuse("params", "params are those of a report: name it");
  if (steps !== null) refuse("steps", `${name} chart has no steps`);
  if (report !== null) checkParams(report, params ?? {});
}

/** A report ignores what it does not know: a name with a slip would be saved, and never do anything. */
function checkParams(report: ReportName, params: object): void {
  const known = Object.keys((REPORT_CATALOGUE[report].query as TObject).properties);
  for (const name of Object.keys(params)) {
    if (NOT_SAVED.includes(name))
      refuse(`params.${name}`, `The board gives the dates and the project: leave ${name} out`);
    if (!known.includes(name)) {
      const kept = known.filter((one) => !NOT_SAVED.includes(one)).join(", ");
      refuse(`params.${name.slice(0, 80)}`, `The report ${report} has no such parameter: it has ${kept}`);
    }
  }
}

function checkOwn(spec: ChartSpec): void {
  const { chart_type: type, query, report, params, steps, settings } = spec;
  const name = nameOf(type);
  if (report !== null || params !== null) refuse("report", `${name} chart has a report of its own: leave report out`);
  if (type !== "funnel" && query !== null) refuse("query", `${name} chart has no query`);
  if (type === "funnel") {
    if ((steps?.length ?? 0) < LEAST_STEPS) refuse("steps", `Funnel chart must have at least ${LEAST_STEPS} steps`);
    return;
  }
  if (steps !== null) refuse("steps", `${name} chart has no steps`);
  if (type === "user_paths") {
    const anchors = settings?.anchors?.length ?? 0;
    if (anchors === 0 && !settings?.startStep)
      refuse("settings.anchors", "User paths chart must have at least 1 anchor");
    if (anchors > MOST_ANCHORS)
      refuse(
        "settings.anchors",
        `User paths chart must have at most ${MOST_ANCHORS} anchors, the first and last event`,
      );
    return;
  }
  if (settings?.retentionSignalType === "label" || (settings?.retentionCohortLabelFilters ?? []).length > 0)
    refuse("settings", "Retention by labels is not supported: use events");
  const activity = readActivity(settings);
  if (!activity.ok) refuse(`settings.${activity.field}`, activity.problem);
}

/** `user_paths` -> `User paths`. */
function nameOf(type: ChartType): string {
  const words = type.replaceAll("_", " ");
  return words[0]?.toUpperCase() + words.slice(1);
}

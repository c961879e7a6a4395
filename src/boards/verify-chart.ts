/** Checks a chart before it is saved: its rules, and its question, which is asked once for the columns of its answer. */
import { ApiError } from "../contract/errors.ts";
import { SEGMENT_COLUMN } from "../contract/segment-names.ts";
import { validationError } from "../contract/validation-error.ts";
import type { ChartAnswer, Column } from "./answer.ts";
import type { ChartSpec } from "./chart.ts";
import { asksSql, checkAxes, checkQuestion, refuse } from "./check-chart.ts";
import { comparedOf } from "./compare-segments.ts";
import type { Asked } from "./question.ts";
import type { ChartOwner, RunCharts, Viewer } from "./run-charts.ts";

/** The spec as it is to be saved: the axes of a report are filled in where they are missing. */
export async function verifyChart(
  charts: RunCharts,
  owner: ChartOwner,
  spec: ChartSpec,
  asked: Asked,
  viewer: Viewer,
): Promise<ChartSpec> {
  checkQuestion(spec);
  if (spec.query !== null) checkAxes(spec);
  const shape = await findShape(charts, owner, spec, asked, viewer);
  if (spec.report === null && !asksSql(spec)) return spec;
  const whole = spec.report === null ? spec : withAxes(spec, shape.columns);
  checkAxes(whole);
  checkColumns(whole, shape.columns);
  if (whole.chart_type === "number") checkNumber(whole, shape);
  return whole;
}

/** The whole answer of a chart that is not saved, whatever its axes are. */
export async function runDraft(
  charts: RunCharts,
  owner: ChartOwner,
  spec: ChartSpec,
  asked: Asked,
  viewer: Viewer,
): Promise<ChartAnswer> {
  checkQuestion(spec);
  return ofDraft(spec, () => charts.run(owner, spec, asked, viewer));
}

async function findShape(
  charts: RunCharts,
  owner: ChartOwner,
  spec: ChartSpec,
  asked: Asked,
  viewer: Viewer,
): Promise<Pick<ChartAnswer, "columns" | "rows">> {
  return ofDraft(spec, () => charts.findShape(owner, spec, asked, viewer));
}

/** What a report refuses is said of the fields of the chart. */
async function ofDraft<T>(spec: ChartSpec, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    // The chart is there, and one of its fields is wrong.
    const { param, message } = cause;
    if (param?.startsWith("body.settings.segments.")) throw new ApiError("BAD_REQUEST", message, { param, cause });
    throw ofChart(spec, cause);
  }
}

/** What a report says of its query, said of the chart. */
function ofChart(spec: ChartSpec, cause: ApiError): ApiError {
  const { code, message, param, details = {} } = cause;
  if (param?.startsWith("query.") !== true) return cause;
  if (code !== "INVALID_VALIDATION_REQUEST") return new ApiError(code, message, { param: toField(spec, param), cause });
  const failures = Object.entries(details).map(([path, problem]): [string, string] => [
    toField(spec, path),
    String(problem),
  ]);
  return validationError(new Map(failures));
}

/** Where the fields of a chart of a type of its own are, by the parameters of its report. */
const FIELDS: Readonly<Record<string, string>> = {
  steps: "steps",
  group_by: "settings.breakdown",
  funnel_type: "settings.funnelType",
  window_seconds: "settings.conversionWindow",
  start_step: "settings.anchors.0",
  end_step: "settings.anchors.1",
  filters: "settings.filters",
  segment: "settings.segment",
  global_filters: "settings.filters",
  user_filters: "settings.retentionUserFilters",
};

/** `query.steps.0.type` -> `body.steps.0.type`. */
function toField({ report }: ChartSpec, path: string): string {
  const [, name = "", ...rest] = path.split(".");
  const field = report === null ? (FIELDS[name] ?? name) : `params.${name}`;
  return ["body", field, ...rest].join(".");
}

function checkColumns({ x_axis, y_axis, group_by }: ChartSpec, columns: readonly Column[]): void {
  const names = new Set(columns.map(({ name }) => name));
  const known = `the answer has ${[...names].slice(0, 20).join(", ")}`;
  const wanted: [string, string | null][] = [
    ["x_axis", x_axis],
    ...(y_axis ?? []).map((name, at): [string, string] => [`y_axis.${at}`, name]),
    ["group_by", group_by],
  ];
  for (const [field, name] of wanted)
    if (name !== null && !names.has(name)) refuse(field, `There is no column ${name.slice(0, 80)}: ${known}`);
}

function checkNumber(spec: ChartSpec, { columns, rows }: Pick<ChartAnswer, "columns" | "rows">): void {
  const { report } = spec;
  const field = report === null ? "query" : "params";
  const compared = comparedOf(spec).length;
  if (compared > 0) {
    if (rows !== compared) refuse(field, "Number chart must have exactly 1 row for each segment");
    return;
  }
  if (rows !== 1)
    refuse(field, `Number chart must have exactly 1 row, and its answer has ${rows === 0 ? "none" : "more"}`);
  if (report === null && columns.length !== 1)
    refuse(field, `Number chart must have exactly 1 column, and its answer has ${columns.length}`);
}

/** The first day or text is x, the first number y, and the next text the group of a stacked chart. */
function withAxes(spec: ChartSpec, columns: readonly Column[]): ChartSpec {
  if (spec.chart_type === "table") return spec;
  const shown = columns.filter(({ name }) => name !== "project_id");
  const texts = shown.filter(({ type }) => /^(?:Nullable\()?(?:String|Date)/.test(type)).map(({ name }) => name);
  const numbers = shown.filter(({ type }) => /^(?:Nullable\()?(?:U?Int|Float|Decimal)/.test(type));
  const isNumber = spec.chart_type === "number";
  const compares = comparedOf(spec).length > 0;
  const first = compares && spec.chart_type === "pie" ? SEGMENT_COLUMN : (texts[0] ?? null);
  const x_axis = spec.x_axis ?? (isNumber ? null : first);
  const y_axis = spec.y_axis ?? numbers.slice(0, 1).map(({ name }) => name);
  // The parts of a pie, and the places of an axis, are told apart already.
  if (compares && !isNumber && x_axis !== SEGMENT_COLUMN) return { ...spec, x_axis, y_axis, group_by: SEGMENT_COLUMN };
  const other = texts.find((name) => name !== x_axis) ?? null;
  return { ...spec, x_axis, y_axis, group_by: spec.group_by ?? (spec.chart_type === "stacked" ? other : null) };
}

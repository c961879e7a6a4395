/** Reads the definition of a metric alert, and says of each field what is wrong with it. */
import { ApiError } from "../../contract/errors.ts";
import {
  INGEST_VALUES,
  METRIC_LIMITS,
  type MetricBody,
  MetricDefinition,
  type WINDOW_UNITS,
} from "../../contract/metric-alerts.ts";
import { REPORT_CATALOGUE, type ReportName } from "../../contract/reports.ts";
import { validationError } from "../../contract/validation-error.ts";
import { createSchemaChecks } from "../../lib/check-schema.ts";
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS } from "../../lib/time.ts";
import { findQueryFailures } from "../../query/run/ask.ts";
import { hasBothDates, hasBothTimes } from "../../query/sql/bind-dates.ts";
import { FIGURE_NAMES } from "../../query/windows/figures.ts";
import type { Condition, Direction, Metric, Params, Source } from "./metric.ts";
import { askedOf } from "./report-number.ts";

export type ReadMetric =
  | { readonly ok: true; readonly value: Metric; readonly body: MetricBody }
  | { readonly ok: false; readonly failures: ReadonlyMap<string, string> };

type Unit = (typeof WINDOW_UNITS)[number];
type Fail = (field: string, problem: string) => void;

const UNIT_MS: Readonly<Record<Unit, number>> = { minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS };
const STEP_MS = METRIC_LIMITS.stepMinutes * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
/** Iglewicz and Hoaglin (1993) call a value with a greater robust z-score an outlier. */
const USUAL_SCORE = 3.5;

let checkBody: ReturnType<ReturnType<typeof createSchemaChecks>["ofJson"]> | undefined;

/** `path` begins the names of the fields, as `body.metric`. The given value stays as it is. */
export function readMetric(given: unknown, path: string): ReadMetric {
  const failures = new Map<string, string>();
  const body = structuredClone(given) as MetricBody;
  // Compiled when the first alert is read: a service may have none.
  checkBody ??= createSchemaChecks().ofJson(MetricDefinition, "metric");
  checkBody(body, failures);
  const fail: Fail = (field, problem) => {
    if (!failures.has(`metric.${field}`)) failures.set(`metric.${field}`, problem);
  };
  if (failures.size === 0) {
    const value = toMetric(body, fail);
    if (failures.size === 0) return { ok: true, value, body };
  }
  return {
    ok: false,
    failures: new Map([...failures].map(([field, problem]) => [field.replace(/^metric/, path), problem])),
  };
}

/** Calls `fail` with a path below the definition for all that is wrong with it. */
export function checkMetric(given: unknown, fail: Fail): void {
  const read = readMetric(given, "");
  if (!read.ok) for (const [path, problem] of read.failures) fail(path.replace(/^\./, ""), problem);
}

/** Of a stored alert, whose definition was checked. */
export function getMetric(stored: unknown): Metric {
  const read = readMetric(stored, "metric");
  if (!read.ok) throw validationError(read.failures);
  return read.value;
}

function toMetric(body: MetricBody, fail: Fail): Metric {
  const unit = body.window.unit as Unit;
  const windowMs = body.window.value * UNIT_MS[unit];
  const everyMs = readEvery(body, unit, windowMs, fail);
  const most = METRIC_LIMITS.window[unit];
  if (body.window.value > most) fail("window.value", `must be at most ${most} ${unit}`);
  if (windowMs % STEP_MS !== 0) fail("window.value", `must be a multiple of ${METRIC_LIMITS.stepMinutes} minutes`);
  const source = readSource(body, fail);
  const condition = readCondition(body, fail);
  const isWeekly =
    condition.kind === "unusual" || (condition.kind === "changed" && condition.against === "week_before");
  if (isWeekly && windowMs > WEEK_MS)
    fail("window.value", "must be at most a week, to be compared with the week before");
  return {
    source,
    windowMs,
    isInDays: unit === "days",
    everyMs,
    condition,
    delayMs: body.delay_minutes * MINUTE_MS,
    pending: body.pending,
    coolDownMs: body.cool_down_minutes * MINUTE_MS,
  };
}

function readEvery({ every }: MetricBody, unit: Unit, windowMs: number, fail: Fail): number {
  if (every === undefined) return unit === "days" ? DAY_MS : Math.min(windowMs, HOUR_MS);
  const everyMs = every.value * UNIT_MS[every.unit as Unit];
  if (everyMs < STEP_MS) fail("every.value", `must be at least ${METRIC_LIMITS.stepMinutes} minutes`);
  if (everyMs > METRIC_LIMITS.everyMinutes * MINUTE_MS) fail("every.value", "must be at most 7 days");
  if (everyMs % STEP_MS !== 0) fail("every.value", `must be a multiple of ${METRIC_LIMITS.stepMinutes} minutes`);
  if (unit === "days" && everyMs % DAY_MS !== 0) fail("every.unit", "must be days, as that of the window");
  return everyMs;
}

/** The fields of each source. The others are not known there. */
const FIELDS = {
  report: ["report", "params", "value", "row"],
  sql: ["query"],
  chart: ["chart_id"],
  ingest: ["value"],
} as const;

function readSource(body: MetricBody, fail: Fail): Source {
  const kind = body.of as keyof typeof FIELDS;
  const known: readonly string[] = FIELDS[kind];
  for (const field of new Set(Object.values(FIELDS).flat()))
    if (body[field] !== undefined && !known.includes(field)) fail(field, `is not a field of ${kind}`);
  const daysOnly = (why: string) => {
    if (body.window.unit !== "days") fail("window.unit", `must be days: ${why}`);
  };
  if (kind === "report") return readReport(body, fail, daysOnly);
  if (kind === "ingest") return readIngest(body, fail);
  if (body.condition.kind === "no_data") fail("condition.kind", "no_data is for kpis and ingest");
  if (kind === "chart") {
    if (body.chart_id === undefined) fail("chart_id", "is required");
    daysOnly("a chart is about days");
    return { kind, chartId: body.chart_id ?? "" };
  }
  const query = body.query ?? "";
  if (body.query === undefined) fail("query", "is required");
  else checkQuery(query, fail, daysOnly);
  return { kind, query };
}

function checkQuery(query: string, fail: Fail, daysOnly: (why: string) => void): void {
  try {
    if (hasBothTimes(query)) return;
    if (hasBothDates(query))
      daysOnly("the query has {{date_from}} and {{date_to}}, and no {{time_from}} and {{time_to}}");
    else
      fail(
        "query",
        "must have {{date_from}} and {{date_to}}, or {{time_from}} and {{time_to}}: it is asked about a window",
      );
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    fail("query", cause.message);
  }
}

function readIngest({ value, condition }: MetricBody, fail: Fail): Source {
  const isNoData = condition.kind === "no_data";
  const name = INGEST_VALUES.find((one) => one === (value ?? (isNoData ? "received" : undefined)));
  if (name === undefined) fail("value", `must be one of ${INGEST_VALUES.join(", ")}`);
  else if (isNoData && name.endsWith("_rate")) fail("value", "must be a number of events with the condition no_data");
  return { kind: "ingest", value: name ?? "received" };
}

/** The window says which days, and whether there are others to compare with. */
const OWN_PARAMS = [
  "date_from",
  "date_to",
  "interval",
  "include_previous_period",
  "compare_from",
  "compare_to",
  "project_id",
];

function readReport(body: MetricBody, fail: Fail, daysOnly: (why: string) => void): Source {
  const name = body.report as ReportName | undefined;
  if (name === undefined) {
    fail("report", "is required");
    return { kind: "figure", name: "events", params: {} };
  }
  const { params = {}, row = {}, condition } = body;
  const isNoData = condition.kind === "no_data";
  const value = body.value ?? (isNoData ? "events" : undefined);
  for (const param of OWN_PARAMS) if (param in params) fail(`params.${param}`, "is given by the alert itself");
  checkParams(name, params, row, fail);
  const columns = numbersOf(name);
  if (name === "kpis") columns.push("events");
  if (isNoData && (name !== "kpis" || value !== "events"))
    fail("condition.kind", "no_data is for events of kpis, and for ingest");
  if (columns.length === 0) fail("report", "has no numbers in its rows");
  else if (value === undefined || !columns.includes(value)) fail("value", `must be one of ${columns.join(", ")}`);
  if (name !== "kpis") daysOnly("only kpis has shorter windows");
  const isFigure = name === "kpis" && (body.window.unit !== "days" || value === "events");
  const figure = FIGURE_NAMES.find((one) => one === value);
  if (!isFigure || figure === undefined) return { kind: "report", name, params, value: value ?? "", row };
  if (params.group_by !== undefined) fail("params.group_by", "is for windows of days: write a filter");
  if (Object.keys(row).length > 0) fail("row", "is for windows of days: write a filter");
  return { kind: "figure", name: figure, params };
}

/** What the report would say of its query about today, said of the definition. */
function checkParams(name: ReportName, params: Params, row: MetricBody["row"] & object, fail: Fail): void {
  const nowMs = Date.now();
  const days = { date_from: dayOf(nowMs), date_to: dayOf(nowMs) };
  const bots = params.bots === undefined ? {} : { bots: params.bots };
  const { project_id: _, ...asked } = askedOf(name, params, row);
  for (const [path, problem] of findQueryFailures(name, { ...asked, ...bots, ...days }, nowMs))
    fail(path.replace(/^query/, "params"), problem);
}

/** The columns with numbers of a report's answer. */
function numbersOf(name: ReportName): string[] {
  const { data } = (REPORT_CATALOGUE[name].answer as unknown as AnswerSchema).properties;
  return Object.entries(data.items.properties)
    .filter(([column, schema]) => column !== "step" && [schema, ...(schema.anyOf ?? [])].some(isNumber))
    .map(([column]) => column);
}

interface ColumnSchema {
  readonly type?: string;
  readonly anyOf?: readonly ColumnSchema[];
}

interface AnswerSchema {
  readonly properties: { readonly data: { readonly items: { readonly properties: Record<string, ColumnSchema> } } };
}

function isNumber({ type }: ColumnSchema): boolean {
  return type === "integer" || type === "number";
}

const USED = {
  above: ["threshold"],
  below: ["threshold"],
  changed: ["percent", "against", "direction", "min_difference"],
  unusual: ["score", "direction", "min_difference"],
  no_data: [],
} as const;

function readCondition({ condition }: MetricBody, fail: Fail): Condition {
  const kind = condition.kind as Condition["kind"];
  const used: readonly string[] = USED[kind];
  for (const field of Object.keys(condition))
    if (field !== "kind" && !used.includes(field)) fail(`condition.${field}`, `is not a field of ${kind}`);
  const direction = (condition.direction ?? "any") as Direction;
  const minDifference = condition.min_difference ?? 0;
  if (kind === "no_data") return { kind };
  if (kind === "unusual") return { kind, score: condition.score ?? USUAL_SCORE, direction, minDifference };
  if (kind === "changed") {
    if (condition.percent === undefined) fail("condition.percent", "is required");
    const against = condition.against === "week_before" ? "week_before" : "period_before";
    return { kind, percent: condition.percent ?? 0, against, direction, minDifference };
  }
  if (condition.threshold === undefined) fail("condition.threshold", "is required");
  return { kind, threshold: condition.threshold ?? 0 };
}

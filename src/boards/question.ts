/** What a chart asks: a statement, or a report with its parameters as a client would send them. */
import type { ReportName } from "../contract/reports.ts";
import { STEP_LIMITS } from "../contract/steps.ts";
import { findJson } from "../query/filters/json.ts";
import { bindDates, type Days } from "../query/sql/bind-dates.ts";
import type { ChartSettings, ChartSpec } from "./chart.ts";
import { readActivity } from "./retention-steps.ts";

export type ChartQuestion =
  | { readonly kind: "sql"; readonly sql: string }
  | {
      readonly kind: "report";
      readonly name: ReportName;
      readonly params: Readonly<Record<string, unknown>>;
      /** Segments that must match as well: a report takes one. */
      readonly further?: readonly string[];
    };

/** What somebody asks of a board: its days, and what all its reports are limited to. */
export interface Asked extends Days {
  /** A JSON array of conditions. SQL has its own. */
  readonly filters?: string | undefined;
  readonly segment?: string | undefined;
  /** Nothing of other days: no comparison with earlier ones, and no step after the last one. */
  readonly isWithinDays?: boolean | undefined;
}

/** Parameters that read other days. */
const OTHER_DAYS = ["include_previous_period", "compare_from", "compare_to"];

type Params = Record<string, unknown>;

/** `compared` is one of the segments that the chart compares. */
export function toQuestion(spec: ChartSpec, asked: Asked, compared?: string): ChartQuestion {
  const report = (name: ReportName, own: Params, filters: unknown): ChartQuestion => {
    const [segment, ...further] = segmentsOf(compared, asked.segment, own.segment, settings?.segment);
    const params = withoutAbsent({
      ...Object.fromEntries(Object.entries(own).map(([key, value]) => [key, toText(value)])),
      ...(asked.isWithinDays ? withinDays(name, own) : {}),
      date_from: asked.date_from,
      date_to: asked.date_to,
      filters: joinFilters(filters, asked.filters),
      segment,
    });
    return { kind: "report", name, params, ...(further.length === 0 ? {} : { further }) };
  };
  const { chart_type: type, settings } = spec;
  if (type === "funnel") return report("funnel", funnelParams(spec), settings?.filters);
  if (type === "user_paths") return report("flow", pathParams(settings ?? {}), undefined);
  if (type === "retention") return report("retention", retentionParams(settings ?? {}), settings?.filters);
  if (spec.report !== null) return report(spec.report, { ...spec.params }, spec.params?.filters);
  return { kind: "sql", sql: bindDates(spec.query ?? "", asked) };
}

/** Each once. What is no id goes to the report, which says so. */
function segmentsOf(...given: readonly unknown[]): readonly string[] {
  return [...new Set(given.filter((id) => id !== undefined && id !== null) as string[])];
}

function withinDays(name: ReportName, { order_by: order }: Params): Params {
  return {
    ...Object.fromEntries(OTHER_DAYS.map((key) => [key, undefined])),
    // A change is one against other days: the measure itself takes its place.
    ...(typeof order === "string" ? { order_by: order.replace(/_change$/, "") } : {}),
    ...(name === "funnel" ? { within_dates: true } : {}),
  };
}

function funnelParams({ steps, settings, group_by }: ChartSpec): Params {
  return {
    steps,
    window_seconds: windowSeconds(settings),
    funnel_type: settings?.funnelType,
    group_by: settings?.breakdown ?? group_by,
  };
}

/** The hosted service moves these numbers into its ranges. */
const PATH_STEPS = { default: 3, least: 2, most: 5 };
const PATH_NODES = { default: 5, least: 2, most: 8 };

function pathParams(settings: ChartSettings): Params {
  const { anchors = [], startStep, endStep } = settings;
  const [start, end] = anchors.length > 0 ? anchors : [startStep, endStep];
  return {
    start_step: start,
    end_step: end,
    global_filters: settings.filters === "" ? undefined : settings.filters,
    window_seconds: windowSeconds(settings),
    max_steps: clamp(settings.maxSteps, PATH_STEPS),
    nodes_per_step: clamp(settings.nodesPerStep, PATH_NODES),
  };
}

/** The most that the report has. */
const COHORTS = 52;

function retentionParams(settings: ChartSettings): Params {
  const activity = readActivity(settings);
  const filters = settings.retentionUserFilters ?? [];
  return {
    ...(activity.ok ? activity.value : {}),
    user_filters: filters.length > 0 ? filters : undefined,
    limit: COHORTS,
  };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { hour: 3_600, day: 86_400, week: 604_800 };

function windowSeconds(settings: ChartSettings | null): number {
  const { conversionWindow: given } = settings ?? {};
  const { default: usual, maximum } = STEP_LIMITS.windowSeconds;
  return given === undefined ? usual : Math.min(maximum, given.value * (UNIT_SECONDS[given.unit] ?? 1));
}

function clamp(value: number | undefined, range: typeof PATH_STEPS): number {
  return Math.min(range.most, Math.max(range.least, value ?? range.default));
}

/** Lists and objects are JSON texts in the query of a report. */
function toText(value: unknown): unknown {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

/** Both must match. A text that is no list goes to the report as it is, which says what is wrong. */
export function joinFilters(own: unknown, asked: string | undefined): unknown {
  const [saved, given] = [toList(own), toList(asked)];
  if (saved === undefined || given === undefined) return toText(saved === undefined ? own : asked);
  const all = [...saved, ...given];
  return all.length === 0 ? undefined : JSON.stringify(all);
}

function toList(filters: unknown): readonly unknown[] | undefined {
  if (filters === undefined || filters === null || filters === "") return [];
  const list: unknown = typeof filters === "string" ? findJson(filters) : filters;
  return Array.isArray(list) ? list : undefined;
}

function withoutAbsent(params: Params): Params {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null));
}

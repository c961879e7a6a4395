import { REPORT_LIMITS, type ReportQuery } from "../contract/analytics.ts";
import { ApiError } from "../contract/errors.ts";
import type { AnalyticsEngine, RawAnswer } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { readDays } from "./days.ts";
import { type Failures, readFilters } from "./filters.ts";
import { REPORTS, type Report, type ReportName } from "./reports.ts";
import type { Turns } from "./turns.ts";

/** Whose data a report is about. */
export interface ReportScope {
  readonly workspaceId: string;
  readonly projects: readonly { readonly id: string; readonly excludeBots: boolean }[];
}

export type RunReport = (
  name: ReportName,
  scope: ReportScope,
  query: ReportQuery,
  signal: AbortSignal,
) => Promise<RawAnswer>;

export interface ReportDeps {
  engine: Pick<AnalyticsEngine, "selectJson" | "selectRaw">;
  clock: Clock;
  turns: Turns;
}

/** `local`: all of a project is on one shard. */
const SETTINGS = { distributed_product_mode: "local", do_not_merge_across_partitions_select_final: 1 } as const;

/** One report: checks the query, waits for its turn, and hands on the engine's own JSON. */
export function createRunReport(deps: ReportDeps): RunReport {
  return async (name, scope, query, signal) => {
    const plan = planReport(REPORTS[name], scope, query, deps.clock.nowMs());
    const release = await deps.turns.take(scope.workspaceId, signal);
    try {
      const days = await readDays(deps.engine, plan.window, signal);
      const answer = await deps.engine.selectRaw(plan.sql, {
        params: { ...plan.params, ...plan.window, ...days },
        settings: SETTINGS,
        signal,
      });
      answer.body.once("close", release);
      return answer;
    } catch (cause) {
      release();
      throw cause;
    }
  };
}

interface Plan {
  sql: string;
  window: { projects: string[]; first_day: string; last_day: string };
  params: Record<string, unknown>;
}

/** Everything about a report but the data. Throws INVALID_VALIDATION_REQUEST with all that is wrong. */
function planReport(report: Report, scope: ReportScope, query: ReportQuery, nowMs: number): Plan {
  const failures: Failures = new Map();
  const window = readWindow(query, nowMs, failures);
  const conditions = readFilters(query.filters, failures);
  if (failures.size > 0) throw invalid(failures);

  const asked = query.metric_column ?? report.defaultColumn ?? "";
  const isKnown = report.columns === undefined || report.columns.includes(asked);
  const withoutBots = scope.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const column = isKnown ? asked : (report.columns?.[0] ?? "");
  const { sql, params } =
    report.plain && conditions.length === 0 && withoutBots.length === 0
      ? { sql: report.plain(column), params: {} }
      : report.filtered(column, conditions);
  return {
    sql,
    // An unknown column is no error and has no rows: nothing is asked about nobody.
    window: { projects: isKnown ? scope.projects.map(({ id }) => id) : [], ...window },
    params: {
      ...params,
      without_bots: withoutBots,
      column,
      alias: isKnown ? asked : "metric_value",
      limit: query.limit,
      offset: query.offset,
    },
  };
}

function readWindow(query: ReportQuery, nowMs: number, failures: Failures): { first_day: string; last_day: string } {
  const last_day = query.date_to ?? dayOf(nowMs);
  const first_day = query.date_from ?? dayOf(Date.parse(last_day) - REPORT_LIMITS.windowDays * DAY_MS);
  if (first_day > last_day) failures.set("query.date_from", "must not be after date_to");
  return { first_day: clampDay(first_day), last_day: clampDay(last_day) };
}

/** What the engine's dates can hold. Nothing was measured outside. */
function clampDay(day: string): string {
  if (day < "1970-01-01") return "1970-01-01";
  return day > "2149-06-05" ? "2149-06-05" : day;
}

function invalid(failures: Failures): ApiError {
  const listed = [...failures].slice(0, 50);
  const [first] = listed;
  const more = failures.size > 1 ? ` (and ${failures.size - 1} more, see details)` : "";
  return new ApiError("INVALID_VALIDATION_REQUEST", `Invalid request data: ${first?.[0]} ${first?.[1]}${more}`, {
    ...(first ? { param: first[0] } : {}),
    details: Object.fromEntries(listed),
  });
}

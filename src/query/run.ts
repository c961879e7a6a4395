import { finished } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { REPORT_LIMITS, type ReportQuery } from "../contract/analytics.ts";
import { ApiError } from "../contract/errors.ts";
import { validationError } from "../contract/validation-error.ts";
import { firstKeptDay } from "../definitions/kept-days.ts";
import type { AnalyticsEngine, RawAnswer } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { Recent } from "../lib/recent.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { createDaysReader, type Days, dayParams, type KeptFrom } from "./days.ts";
import { type Failures, readFilters } from "./filters.ts";
import { forDays, REPORTS, type Report, type ReportName } from "./reports.ts";
import type { Turns } from "./turns.ts";

/** Whose data a report is about. */
export interface ReportScope {
  readonly workspaceId: string;
  readonly projects: readonly {
    readonly id: string;
    readonly excludeBots: boolean;
    /** Null: for ever. */
    readonly retentionDays: number | null;
  }[];
}

export type RunReport = (
  name: ReportName,
  scope: ReportScope,
  query: ReportQuery,
  signal: AbortSignal,
) => Promise<RawAnswer>;

/** How a report ended: in full, because its reader went away, because the workspace's turns were taken, or by a failure. */
export type ReportOutcome = "answered" | "abandoned" | "limited" | "failed";

export interface ReportDeps {
  engine: Pick<AnalyticsEngine, "selectJson" | "selectRaw">;
  clock: Clock;
  turns: Turns;
  /** From the checked query to the last byte of the answer, the wait for a turn included. */
  observe?(name: ReportName, outcome: ReportOutcome, seconds: number): void;
}

const SETTINGS = {
  // Copies of an event have the same day and so the same partition.
  do_not_merge_across_partitions_select_final: 1,
  /**
   * Every report reads the visitors of today, some twice, and they are packed in pieces of 131,072: with what was unpacked before, chains of
   * 90 days took 55 ms instead of 75. A read of more than a million rows does without and pushes nothing out.
   */
  use_uncompressed_cache: 1,
} as const;

/** A dashboard asks the same again and again, and for as long as the day is the same so is the plan: it took 0.2 ms to make. */
const MOST_PLANS = 128;
const MOST_FILTERS_CHARS = 4096;
/** Of a statement that is kept with its plan: so many days of projects are 100 KB of it. */
const MOST_KEPT_DAYS = 2_000;

/** One report: checks the query, waits for its turn, and hands on the engine's own JSON. */
export function createRunReport(deps: ReportDeps): RunReport {
  const reader = createDaysReader(deps.engine);
  const plans = new Recent<Plan>(MOST_PLANS);

  function planOf(name: ReportName, scope: ReportScope, query: ReportQuery): Plan {
    const nowMs = deps.clock.nowMs();
    const make = () => planReport(REPORTS[name], scope, query, nowMs);
    if ((query.filters?.length ?? 0) > MOST_FILTERS_CHARS) return make();
    return plans.get(JSON.stringify([name, dayOf(nowMs), scope.projects, query]), make);
  }

  function statementOf(plan: Plan, days: Days): Statement {
    if (plan.last?.days === days) return plan.last;
    const sql = forDays(plan.sql, days);
    const made = { days, sql, params: named(sql, { ...plan.params, ...plan.window, ...dayParams(days) }) };
    if (days.builds.length + days.days.length <= MOST_KEPT_DAYS) plan.last = made;
    return made;
  }

  async function ask(plan: Plan, days: Days, signal: AbortSignal): Promise<RawAnswer> {
    refuseTooMany(days.builds.length + days.days.length);
    const { sql, params } = statementOf(plan, days);
    return deps.engine.selectRaw(sql, { params, settings: SETTINGS, signal });
  }

  /**
   * Days rarely change between two reports, so one begins with what the last saw of them while it looks again, and begins anew when something
   * is different. Its answer is as exact as if the look had come first, and that is at most 250 ms old: whatever was stored by then, it sees.
   */
  async function askAtOnce(plan: Plan, signal: AbortSignal): Promise<RawAnswer> {
    const known = reader.recall(plan.window, plan.keptFrom);
    if (known === undefined) return ask(plan, await reader.read(plan.window, plan.keptFrom), signal);
    const begun = new AbortController();
    const first = ask(plan, known, AbortSignal.any([signal, begun.signal]));
    // It may fail before anybody waits for it, or while nobody does any more.
    first.then(({ body }) => body.on("error", () => undefined)).catch(() => undefined);
    const leave = () => {
      begun.abort(new Error("the days of the report have changed"));
      first.then(({ body }) => body.destroy()).catch(() => undefined);
    };
    const days = await reader.read(plan.window, plan.keptFrom).catch((cause) => {
      leave();
      throw cause;
    });
    if (isDeepStrictEqual(days, known)) return whole(await first, signal);
    leave();
    return ask(plan, days, signal);
  }

  return async (name, scope, query, signal) => {
    const plan = planOf(name, scope, query);
    const startedAt = performance.now();
    const end = (outcome: ReportOutcome) => deps.observe?.(name, outcome, (performance.now() - startedAt) / 1000);
    const failed = (otherwise: ReportOutcome) => (signal.aborted ? "abandoned" : otherwise);
    let release: () => void;
    try {
      release = await deps.turns.take(scope.workspaceId, signal);
    } catch (cause) {
      end(failed("limited"));
      throw cause;
    }
    try {
      const answer = await askAtOnce(plan, signal);
      // Unlike its events, this also tells of a body that has ended by now.
      finished(answer.body, (cause) => {
        release();
        end(cause ? failed("failed") : "answered");
      });
      return answer;
    } catch (cause) {
      release();
      end(failed("failed"));
      throw cause;
    }
  };
}

/** The parameters that a statement names. The others would be 2 KB for the engine to read, which took it 0.2 to 0.7 ms. */
function named(sql: string, params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([name]) => sql.includes(`{${name}:`)));
}

/** An answer may have broken off while nobody read it: that is for the reader to hear, not an end. */
function whole(answer: RawAnswer, signal: AbortSignal): RawAnswer {
  signal.throwIfAborted();
  if (answer.body.destroyed) throw answer.body.errored ?? new Error("the answer broke off");
  return answer;
}

/** Each is named in a parameter. 20,000 are 300 KB of them, and 50 projects over a year. */
const MOST_PROJECT_DAYS = 20_000;

function refuseTooMany(count: number): void {
  if (count <= MOST_PROJECT_DAYS) return;
  const message = `The window holds ${count} days of projects, more than ${MOST_PROJECT_DAYS}: ask for fewer days, or for one project_id`;
  throw new ApiError("BAD_REQUEST", message);
}

interface Plan {
  sql: string;
  window: { projects: string[]; first_day: string; last_day: string };
  keptFrom: KeptFrom;
  params: Record<string, unknown>;
  /** What was asked by it last. */
  last?: Statement;
}

interface Statement {
  days: Days;
  sql: string;
  params: Record<string, unknown>;
}

/** What is wrong with a query beyond its types, by path. */
export function findReportProblems(query: ReportQuery): Failures {
  const failures: Failures = new Map();
  if (typeof query.filters === "string") readFilters(query.filters, failures);
  const { date_from, date_to } = query;
  if (date_from !== undefined && date_to !== undefined && date_from > date_to)
    failures.set("query.date_from", "must not be after date_to");
  return failures;
}

/** Everything about a report but the data. Throws INVALID_VALIDATION_REQUEST with all that is wrong. */
function planReport(report: Report, scope: ReportScope, query: ReportQuery, nowMs: number): Plan {
  const failures: Failures = new Map();
  const { isEmpty, ...window } = readWindow(query, nowMs, failures);
  const conditions = readFilters(query.filters, failures);
  if (failures.size > 0) throw validationError(failures);

  const asked = query.metric_column ?? report.defaultColumn ?? "";
  const isKnown = report.columns === undefined || report.columns.includes(asked);
  const withoutBots = scope.projects.filter(({ excludeBots }) => excludeBots).map(({ id }) => id);
  const column = isKnown ? asked : (report.columns?.[0] ?? "");
  const { sql, params } =
    conditions.length === 0 && withoutBots.length === 0
      ? report.plain(column)
      : report.filtered(column, conditions, withoutBots.length === 0);
  const limited = scope.projects.flatMap(({ id, retentionDays }) =>
    retentionDays === null ? [] : [[id, firstKeptDay(retentionDays, nowMs)] as const],
  );
  return {
    sql,
    keptFrom: new Map(limited),
    // An unknown column, or days that cannot be, are no error and have no rows: nothing is asked about nobody.
    window: { projects: isKnown && !isEmpty ? scope.projects.map(({ id }) => id) : [], ...window },
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

function readWindow(query: ReportQuery, nowMs: number, failures: Failures) {
  const last_day = query.date_to ?? dayOf(nowMs);
  const first_day = query.date_from ?? dayOf(Date.parse(last_day) - REPORT_LIMITS.windowDays * DAY_MS);
  const until = query.date_to === undefined ? "today, which date_to is by default" : "date_to";
  if (first_day > last_day) failures.set("query.date_from", `must not be after ${until}`);
  return {
    first_day: clampDay(first_day),
    last_day: clampDay(last_day),
    isEmpty: last_day < FIRST_DAY || first_day > LAST_DAY,
  };
}

/** What the engine's dates can hold. */
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "2149-06-05";

function clampDay(day: string): string {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
}

/**
 * Evaluates the metric alerts that are due. The number is asked first, and then one transaction writes the state, the
 * firing and its deliveries, if the state is still the one that was read: a crash between the two repeats the question,
 * and never the message.
 */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import { ApiError } from "../../contract/errors.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import type { ControlStore, Tx } from "../../control/store.ts";
import { EngineBusy, EngineRefused } from "../../engines/failures.ts";
import { StatementRefused } from "../../engines/user-sql/statement-refused.ts";
import type { Clock } from "../../lib/clock.ts";
import { UTC } from "../../lib/time-zones.ts";
import { type Alert, findAlert } from "../alerts-table.ts";
import { noteFailure } from "../failures.ts";
import type { PageUrl } from "../messages.ts";
import { recordFiring } from "../record-firing.ts";
import { advance, type Memory } from "./advance.ts";
import { evaluate, findFirstMs, judgeAll } from "./evaluate.ts";
import { findCalendar } from "./find-calendar.ts";
import type { Judged } from "./judge.ts";
import { tellMetric } from "./message.ts";
import type { Metric } from "./metric.ts";
import { getMetric } from "./read-metric.ts";
import type { Asking, MetricOwner, SourceDeps } from "./sources.ts";
import { type DueAlert, findEvaluation, listDueMetrics, memoryOf, saveEvaluation } from "./states.ts";
import { type Calendar, calendarOf, closedWindow, nextDueMs, skippedWindows, type Window } from "./windows.ts";

export interface MetricJobDeps extends SourceDeps {
  store: ControlStore;
  clock: Clock;
  pageUrl: PageUrl;
  wakeDelivery: () => void;
  /** Age of the oldest event of this node that is not stored yet. */
  lagSeconds: () => number;
}

/** Of one step. The next one looks again who is first. */
const MOST_DUE = 20;
/** Alerts of different workspaces that are evaluated at once. */
const AT_ONCE = 2;
/** Windows that are looked at afterwards: a night of five minutes, or a few where each is a question of its own. */
const LOOK_BACK = { windows: 150, questions: 24 };
/** One question may not hold the others up: with two at once, half as long. */
const QUESTION_MS = 30_000;

/** Resolves with the number of evaluations that were written. Throws what kept an alert from being asked, at the end. */
export async function runDueMetrics(deps: MetricJobDeps, signal: AbortSignal): Promise<number> {
  // Those whose events are not all stored yet are not due: they would come first again and again, before the others.
  const due = await listDueMetrics(deps.store.read, watermarkOf(deps), MOST_DUE);
  let written = 0;
  const failures: unknown[] = [];
  const next = due.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const alert of next) {
        signal.throwIfAborted();
        try {
          if (await evaluateDue(deps, alert, signal)) written += 1;
        } catch (cause) {
          // The slots of one workspace may be taken while others are free.
          failures.push(cause);
        }
      }
    }),
  );
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
  return written;
}

/** Every event that this node received before it is stored. */
function watermarkOf({ clock, lagSeconds }: Pick<MetricJobDeps, "clock" | "lagSeconds">): number {
  return clock.nowMs() - lagSeconds() * 1000;
}

async function evaluateDue(deps: MetricJobDeps, { id, workspaceId }: DueAlert, signal: AbortSignal): Promise<boolean> {
  const alert = await findAlert(deps.store.read, { workspaceId, projectId: null }, id);
  if (alert?.status !== "active") return false;
  const nowMs = deps.clock.nowMs();
  const metric = readStored(alert);
  if (metric instanceof ApiError) {
    await noteFailure(deps.store, alert, metric, nowMs);
    return false;
  }
  const { calendar, zone } = await openCalendar(deps, alert, metric);
  const window = closedWindow(metric, calendar, watermarkOf(deps));
  const lastMs = findEvaluation(alert)?.toMs ?? null;
  // The events of the window are not all stored yet, or the clock was set back.
  if (window.toMs <= (lastMs ?? Number.NEGATIVE_INFINITY)) return false;
  const skipped = skippedWindows(metric, calendar, lastMs, window);
  const found = await ask(deps, alert, { metric, window, skipped, calendar }, signal);
  return commit(deps, alert, { metric, window, skipped, calendar, zone, ...found }, nowMs);
}

interface Times {
  readonly calendar: Calendar;
  /** In which people are told times. */
  readonly zone: string;
}

/** That of UTC where the project or the chart is gone: the question then says so. */
async function openCalendar(deps: MetricJobDeps, alert: Alert, metric: Metric): Promise<Times> {
  try {
    const owner = await getOwner(deps, alert, metric);
    const calendar = await findCalendar(deps, owner, metric);
    return { calendar, zone: metric.isInDays ? calendar.zone : (owner.projects[0].timezone ?? UTC) };
  } catch (cause) {
    if (findReason(cause) === undefined) throw cause;
    return { calendar: calendarOf(metric, UTC), zone: UTC };
  }
}

/** The error of a definition that another version has stored. */
function readStored({ metric }: Alert): Metric | ApiError {
  try {
    return getMetric(metric);
  } catch (cause) {
    if (cause instanceof ApiError) return cause;
    throw cause;
  }
}

type Outcome = Judged | { readonly verdict: "error"; readonly value: null; readonly reason: string };

interface Asked {
  readonly metric: Metric;
  readonly window: Window;
  readonly skipped: readonly Window[];
  readonly calendar: Calendar;
}

interface Answered {
  readonly outcome: Outcome;
  /** What the windows that nobody evaluated have made of the state. */
  readonly memory: Memory;
}

async function ask(deps: MetricJobDeps, alert: Alert, asked: Asked, signal: AbortSignal): Promise<Answered> {
  const { metric, window, calendar } = asked;
  const timeout = AbortSignal.timeout(QUESTION_MS);
  const asking = { signal: AbortSignal.any([signal, timeout]), calendar };
  const memory = memoryOf(alert);
  try {
    const owner = await getOwner(deps, alert, metric);
    const outcome = await evaluate(deps, owner, metric, window, asking);
    return { outcome, memory: await lookBack(deps, alert, { ...asked, owner, outcome }, asking) };
  } catch (cause) {
    signal.throwIfAborted();
    const reason = timeout.aborted ? TOO_LONG : findReason(cause);
    // The engine or the store is unavailable: no fault of the alert, and the same window is tried again.
    if (reason === undefined) throw cause;
    return { outcome: { verdict: "error", value: null, reason }, memory };
  }
}

/**
 * The state before this window, after a time without workers or a restored backup. Nobody is told of the windows between;
 * but a firing has the id of the window with which it began, so that whoever was told of it before the backup was
 * restored knows the message.
 */
async function lookBack(
  deps: MetricJobDeps,
  alert: Alert,
  { metric, skipped, owner, outcome }: Asked & { owner: MetricOwner; outcome: Outcome },
  asking: Asking,
): Promise<Memory> {
  const memory = memoryOf(alert);
  if (skipped.length === 0 || (outcome.verdict !== "met" && memory.firing === null)) return memory;
  const firstMs = await findFirstMs(deps, owner, asking);
  const windows = skipped.slice(-LOOK_BACK.windows);
  const all = await judgeAll(deps, owner, metric, { windows, firstMs, most: LOOK_BACK.questions }, asking);
  return all.reduce<Memory>(
    (before, { window, judged: { verdict } }) =>
      advance(alert.id, metric, before, { verdict, window, isQuiet: true }).memory,
    memory,
  );
}

const TOO_LONG = "The question took too long, or needs too much memory";

function findReason(cause: unknown): string | undefined {
  if (cause instanceof EngineBusy) return TOO_LONG;
  if (cause instanceof EngineRefused || cause instanceof StatementRefused) return cause.message;
  return cause instanceof ApiError && cause.status < 500 && cause.status !== 429 ? cause.message : undefined;
}

async function getOwner(
  { store }: Pick<MetricJobDeps, "store">,
  { workspaceId, projectId }: Pick<Alert, "workspaceId" | "projectId">,
  { source }: Metric,
): Promise<MetricOwner> {
  const bots = "params" in source && typeof source.params.bots === "string" ? source.params.bots : undefined;
  const [project] = await getReportProjects(store.read, { workspaceId, projectId }, projectId, bots);
  if (project === undefined) throw new ApiError("NOT_FOUND", "There is no such project");
  return { workspaceId, projects: [project] };
}

type Evaluated = Asked & Answered & Pick<Times, "zone">;

async function commit(
  deps: MetricJobDeps,
  alert: Alert,
  { metric, window, skipped, calendar, zone, outcome, memory: before }: Evaluated,
  nowMs: number,
): Promise<boolean> {
  const { verdict, value, reason = null } = outcome;
  const isQuiet = alert.mutedUntilMs !== null && alert.mutedUntilMs > nowMs;
  const { memory, notification, kept } = advance(alert.id, metric, before, { verdict, window, isQuiet });
  const change = notification ?? kept;
  const isWritten = await deps.store.write(async (tx) => {
    const times = { fromMs: window.fromMs, toMs: window.toMs, dueMs: nextDueMs(metric, calendar, window) };
    const missed = { skipped: skipped.length, skippedFromMs: skipped[0]?.fromMs ?? null };
    if (!(await saveEvaluation(tx, alert, { memory, value, reason, ...times, ...missed }))) return false;
    await saveState(tx, alert, { state: memory.state, reason, isError: verdict === "error" });
    if (change !== null && verdict !== "error") {
      const told = { metric, judged: outcome, notification: change, window, skipped: skipped.length, zone };
      const firing = { ...tellMetric(alert, told, nowMs, deps.pageUrl), kind: "metric", count: 1 } as const;
      await recordFiring(tx, alert, { ...firing, isToldAfterMute: true }, nowMs);
    }
    return true;
  });
  if (isWritten && notification !== null) deps.wakeDelivery();
  return isWritten;
}

/** After some errors in a row the alert is switched off, and says why. */
async function saveState(
  tx: Tx,
  alert: Alert,
  { state, reason, isError }: { state: string; reason: string | null; isError: boolean },
): Promise<void> {
  const failures = isError ? alert.failures + 1 : 0;
  const isOver = failures >= ALERT_LIMITS.failures;
  await tx
    .updateTable("alerts")
    .set({ state, failures, ...(isOver ? { status: "inactive" as const, status_reason: reason } : {}) })
    .where("id", "=", alert.id)
    .where("workspace_id", "=", alert.workspaceId)
    .execute();
}

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
import type { Span } from "../../query/windows/spans.ts";
import { type Alert, findAlert } from "../alerts-table.ts";
import { noteFailure } from "../failures.ts";
import type { PageUrl } from "../messages.ts";
import { recordFiring } from "../record-firing.ts";
import { advance } from "./advance.ts";
import { evaluate } from "./evaluate.ts";
import type { Judged } from "./judge.ts";
import { tellMetric } from "./message.ts";
import type { Metric } from "./metric.ts";
import { getMetric } from "./read-metric.ts";
import type { MetricOwner, SourceDeps } from "./sources.ts";
import { type DueAlert, findEvaluation, listDueMetrics, memoryOf, saveEvaluation } from "./states.ts";
import { closedWindow, nextDueMs, skippedWindows } from "./windows.ts";

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
  const window = closedWindow(metric, watermarkOf(deps));
  // The events of the window are not all stored yet, or the clock was set back.
  if (window.toMs <= (findEvaluation(alert)?.toMs ?? Number.NEGATIVE_INFINITY)) return false;
  const outcome = await ask(deps, alert, metric, window, signal);
  return commit(deps, alert, { metric, window, outcome }, nowMs);
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

async function ask(
  deps: MetricJobDeps,
  alert: Alert,
  metric: Metric,
  window: Span,
  signal: AbortSignal,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(QUESTION_MS);
  try {
    const owner = await getOwner(deps, alert, metric);
    return await evaluate(deps, owner, metric, window, { signal: AbortSignal.any([signal, timeout]) });
  } catch (cause) {
    signal.throwIfAborted();
    const reason = timeout.aborted ? TOO_LONG : findReason(cause);
    // The engine or the store is unavailable: no fault of the alert, and the same window is tried again.
    if (reason === undefined) throw cause;
    return { verdict: "error", value: null, reason };
  }
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

interface Evaluated {
  readonly metric: Metric;
  readonly window: Span;
  readonly outcome: Outcome;
}

async function commit(
  deps: MetricJobDeps,
  alert: Alert,
  { metric, window, outcome }: Evaluated,
  nowMs: number,
): Promise<boolean> {
  const { verdict, value, reason = null } = outcome;
  const step = advance(alert.id, metric, memoryOf(alert), { verdict, window });
  const skipped = skippedWindows(metric, findEvaluation(alert)?.toMs ?? null, window);
  const { memory, notification } = step;
  const isWritten = await deps.store.write(async (tx) => {
    const times = { fromMs: window.fromMs, toMs: window.toMs, dueMs: nextDueMs(metric, window) };
    const kept = { memory, value, reason, ...times, skipped: skipped.count, skippedFromMs: skipped.fromMs };
    if (!(await saveEvaluation(tx, alert, kept))) return false;
    await saveState(tx, alert, { state: memory.state, reason, isError: verdict === "error" });
    if (notification !== null && verdict !== "error") {
      const told = { metric, judged: outcome, notification, window, skipped: skipped.count };
      await recordFiring(
        tx,
        alert,
        { ...tellMetric(alert, told, nowMs, deps.pageUrl), kind: "metric", count: 1 },
        nowMs,
      );
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

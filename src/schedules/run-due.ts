/**
 * Sends the reports that are due. What is asked of the engine comes first; then one transaction writes the run, the
 * deliveries of the outbox and when the schedule is next due. A crash before it repeats the questions, and one after it
 * nothing: a report comes once for its days.
 */
import { ApiError } from "../contract/errors.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";
import { HOUR_MS, MINUTE_MS } from "../lib/time.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { recordMessage } from "../webhooks/record-message.ts";
import { ofSchedule } from "../webhooks/sources.ts";
import type { Content } from "./content.ts";
import { latestRun, nextRun, type Run } from "./due.ts";
import { ScheduleBroken } from "./gather.ts";
import { toMessage } from "./message.ts";
import { findDue, type Schedule } from "./schedules.ts";

export interface RunDueDeps {
  store: ControlStore;
  gather: (schedule: Schedule, run: Run, nowMs: number, signal: AbortSignal) => Promise<Content>;
  /** Empty while the address of the service is not known: nothing is sent then. */
  publicUrl: () => string;
  wakeDelivery: () => void;
  log: WarnLog;
}

/** Schedules of one step: a report asks the engine half a dozen times. */
const AT_ONCE = 20;

/** Resolves with the number of schedules that were looked at. */
export async function runDue(deps: RunDueDeps, nowMs: number, signal: AbortSignal): Promise<number> {
  if (deps.publicUrl() === "") return 0;
  const due = await findDue(deps.store.read, nowMs, AT_ONCE);
  for (const schedule of due) {
    if (signal.aborted) break;
    await runOne(deps, schedule, nowMs, signal);
  }
  return due.length;
}

/** Whatever fails is a failure of this schedule alone: those of others are sent. */
async function runOne(deps: RunDueDeps, schedule: Schedule, nowMs: number, signal: AbortSignal): Promise<void> {
  try {
    const run = latestRun(schedule, nowMs);
    const content = await deps.gather(schedule, run, nowMs, signal);
    const made = { run, content, nowMs, publicUrl: deps.publicUrl() };
    const count = await deps.store.write((tx) => record(tx, schedule, made));
    if (count > 0) deps.wakeDelivery();
  } catch (cause) {
    if (signal.aborted) return;
    if (!(cause instanceof ScheduleBroken || cause instanceof ApiError))
      deps.log.warn({ err: cause, scheduleId: schedule.id }, "a scheduled report could not be made; it is tried again");
    await noteFailure(deps.store, schedule, cause, nowMs);
  }
}

async function record(
  tx: Tx,
  schedule: Schedule,
  { run, content, nowMs, publicUrl }: { run: Run; content: Content; nowMs: number; publicUrl: string },
): Promise<number> {
  const { id, workspaceId, projectId } = schedule;
  const moved = await tx
    .updateTable("report_schedules")
    .set({ next_at: nextRun(schedule, nowMs).dueAtMs, retry_at: 0, failures: 0, last_error: null })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    // Another node has sent it, or a member has changed it in the meantime.
    .where("next_at", "=", schedule.nextAtMs)
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n || (await isSent(tx, schedule, run))) return 0;
  const runId = newId("rrn");
  const message = toMessage(`${id} ${run.from} ${run.to}`, content, publicUrl);
  const deliveries = await recordMessage(tx, workspaceId, { source: ofSchedule(id), message, causeId: runId, nowMs });
  await tx
    .insertInto("report_runs")
    .values({
      id: runId,
      workspace_id: workspaceId,
      project_id: projectId,
      schedule_id: id,
      date_from: run.from,
      date_to: run.to,
      due_at: run.dueAtMs,
      created_at: nowMs,
      deliveries,
    })
    .execute();
  return deliveries;
}

/** A schedule whose hour was moved to later on the same day is due twice for the same days. */
async function isSent(tx: Tx, { id, workspaceId }: Schedule, { from, to }: Run): Promise<boolean> {
  const row = await tx
    .selectFrom("report_runs")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("schedule_id", "=", id)
    .where("date_from", "=", from)
    .where("date_to", "=", to)
    .executeTakeFirst();
  return row !== undefined;
}

/** Tried again after 1, 2, 4 minutes and so on, at most an hour. Without its board, a schedule ends. */
async function noteFailure(store: ControlStore, schedule: Schedule, cause: unknown, nowMs: number): Promise<void> {
  const isBroken = cause instanceof ScheduleBroken;
  const waitMs = Math.min(HOUR_MS, MINUTE_MS * 2 ** Math.min(schedule.failures, 10));
  const text =
    isBroken || cause instanceof ApiError ? cause.message : "The report could not be made; it is tried again";
  await store.write((tx) =>
    tx
      .updateTable("report_schedules")
      .set({
        failures: schedule.failures + 1,
        retry_at: nowMs + waitMs,
        last_error: text,
        ...(isBroken ? { active: 0 as const, next_at: null } : {}),
      })
      .where("workspace_id", "=", schedule.workspaceId)
      .where("id", "=", schedule.id)
      .where("next_at", "=", schedule.nextAtMs)
      .execute(),
  );
}

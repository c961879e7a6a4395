import type { ScheduleView } from "../contract/report-schedules.ts";
import type { Reader } from "../control/store.ts";
import { listCaused } from "../webhooks/caused.ts";
import { listKnown, showTarget, viewRecipient } from "./recipients.ts";
import type { Schedule } from "./schedules.ts";

const timeOf = (ms: number) => new Date(ms).toISOString();
const orNull = (ms: number | null) => (ms === null ? null : timeOf(ms));

export async function viewSchedule(db: Reader, schedule: Schedule): Promise<ScheduleView> {
  const known = await listKnown(db, schedule.workspaceId, schedule.id);
  return {
    id: schedule.id,
    project_id: schedule.projectId,
    title: schedule.title,
    board_id: schedule.boardId,
    every: schedule.every,
    weekday: schedule.weekday,
    hour: schedule.hour,
    timezone: schedule.timezone,
    active: schedule.isActive,
    recipients: known.map(viewRecipient),
    next_at: orNull(schedule.nextAtMs),
    last_error: schedule.lastError,
    created_by: schedule.createdBy,
    created_at: timeOf(schedule.createdAtMs),
    updated_at: orNull(schedule.updatedAtMs),
  };
}

/** Newest first, each with its deliveries. */
export async function viewRuns(db: Reader, { workspaceId, id }: Schedule, limit: number) {
  const runs = await db
    .selectFrom("report_runs")
    .select(["id", "date_from", "date_to", "due_at", "created_at"])
    .where("workspace_id", "=", workspaceId)
    .where("schedule_id", "=", id)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  const caused = await listCaused(
    db,
    workspaceId,
    runs.map((run) => run.id),
  );
  return runs.map((run) => ({
    id: run.id,
    date_from: run.date_from,
    date_to: run.date_to,
    due_at: timeOf(run.due_at),
    sent_at: timeOf(run.created_at),
    deliveries: (caused.get(run.id) ?? []).map((delivery) => ({
      id: delivery.id,
      type: delivery.channel,
      value: showTarget(delivery),
      state: delivery.state,
      attempts: delivery.attempts,
      settled_at: orNull(delivery.settledAtMs),
      status: delivery.status,
      reason: delivery.reason,
    })),
  }));
}

export async function isRunOf(db: Reader, { workspaceId, id }: Schedule, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom("report_runs")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("schedule_id", "=", id)
    .where("id", "=", runId)
    .executeTakeFirst();
  return row !== undefined;
}

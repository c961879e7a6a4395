/** The reports of a project that are sent by a schedule. */
import { ApiError } from "../contract/errors.ts";
import { SCHEDULE_LIMITS } from "../contract/report-schedules.ts";
import { lockProject } from "../control/lock-rows.ts";
import { type Author, authorOf, countItems, ifSeen, type Owner } from "../control/project-items.ts";
import type { Reader, Tx } from "../control/store.ts";
import { isId, newId } from "../lib/ids.ts";
import { nextRun, type Rhythm } from "./due.ts";

export interface ScheduleFields extends Rhythm {
  readonly title: string;
  /** Null: the report is about the project. */
  readonly boardId: string | null;
  readonly isActive: boolean;
}

export interface Schedule extends ScheduleFields {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly nextAtMs: number | null;
  readonly failures: number;
  readonly lastError: string | null;
  readonly createdBy: Author;
  readonly createdAtMs: number;
  readonly updatedAtMs: number | null;
}

/** In the order of their creation. */
export async function listSchedules(
  db: Reader,
  workspaceId: string,
  projectIds: readonly string[],
): Promise<Schedule[]> {
  if (projectIds.length === 0) return [];
  const rows = await select(db)
    .where("report_schedules.workspace_id", "=", workspaceId)
    .where("report_schedules.project_id", "in", projectIds)
    .orderBy("report_schedules.created_at")
    .orderBy("report_schedules.id")
    .execute();
  return rows.map(toSchedule);
}

/** Throws NOT_FOUND for one that the key does not see. */
export async function getSchedule(db: Reader, owner: Owner, id: string): Promise<Schedule> {
  const row = isId("rsc", id)
    ? await select(db)
        .where("report_schedules.workspace_id", "=", owner.workspaceId)
        .where("report_schedules.id", "=", id)
        .executeTakeFirst()
    : undefined;
  const seen = ifSeen(owner, row);
  if (seen === undefined) throw new ApiError("NOT_FOUND", "There is no such schedule");
  return toSchedule(seen);
}

/** Of all workspaces: those that are due, the longest first. */
export async function findDue(db: Reader, nowMs: number, limit: number): Promise<Schedule[]> {
  const rows = await select(db)
    .where("next_at", "<=", nowMs)
    .where("retry_at", "<=", nowMs)
    .orderBy("next_at")
    .orderBy("report_schedules.id")
    .limit(limit)
    .execute();
  return rows.map(toSchedule);
}

export async function insertSchedule(
  tx: Tx,
  workspaceId: string,
  { projectId, userId, fields }: { projectId: string; userId: string | null; fields: ScheduleFields },
  nowMs: number,
): Promise<string> {
  await lockProject(tx, workspaceId, projectId);
  if ((await countItems(tx, "report_schedules", workspaceId, [projectId])) >= SCHEDULE_LIMITS.perProject)
    throw new ApiError(
      "CONFLICT",
      `A project has at most ${SCHEDULE_LIMITS.perProject} scheduled reports: delete some`,
    );
  const id = newId("rsc");
  await tx
    .insertInto("report_schedules")
    .values({
      id,
      workspace_id: workspaceId,
      project_id: projectId,
      ...columnsOf(fields, nowMs),
      created_by: userId,
      created_at: nowMs,
      updated_at: null,
    })
    .execute();
  return id;
}

/**
 * With another rhythm it is next due after now: that sends nothing about days that are over. Otherwise one that is due,
 * and could not be made yet, still comes.
 */
export async function changeSchedule(
  tx: Tx,
  workspaceId: string,
  old: Schedule,
  fields: ScheduleFields,
  nowMs: number,
): Promise<void> {
  const { next_at, ...columns } = columnsOf(fields, nowMs);
  const isPlanned = RHYTHM.every((name) => fields[name] === old[name]);
  await tx
    .updateTable("report_schedules")
    .set({ ...columns, ...(isPlanned ? {} : { next_at }), updated_at: nowMs })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", old.id)
    .execute();
}

/** What says when it is due. */
const RHYTHM = ["every", "weekday", "hour", "timezone", "isActive"] as const;

export async function deleteSchedule(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom("report_runs").where("workspace_id", "=", workspaceId).where("schedule_id", "=", id).execute();
  await tx.deleteFrom("report_schedules").where("workspace_id", "=", workspaceId).where("id", "=", id).execute();
}

function columnsOf(fields: ScheduleFields, nowMs: number) {
  return {
    title: fields.title,
    board_id: fields.boardId,
    every: fields.every,
    weekday: fields.weekday,
    hour: fields.hour,
    timezone: fields.timezone,
    active: fields.isActive ? (1 as const) : (0 as const),
    next_at: fields.isActive ? nextRun(fields, nowMs).dueAtMs : null,
    retry_at: 0,
    failures: 0,
    last_error: null,
  };
}

function select(db: Reader) {
  return db
    .selectFrom("report_schedules")
    .leftJoin("users", "users.id", "report_schedules.created_by")
    .innerJoin("projects", "projects.id", "report_schedules.project_id")
    .select([
      "report_schedules.id",
      "report_schedules.workspace_id",
      "report_schedules.project_id",
      "board_id",
      "title",
      "every",
      "weekday",
      "hour",
      "report_schedules.timezone",
      "projects.timezone as days_in",
      "active",
      "next_at",
      "failures",
      "last_error",
      "created_by",
      "users.name as user_name",
      "report_schedules.created_at",
      "report_schedules.updated_at",
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["execute"]>>[number];

function toSchedule(row: Row): Schedule {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    boardId: row.board_id,
    title: row.title,
    every: row.every,
    weekday: row.weekday,
    hour: row.hour,
    timezone: row.timezone,
    daysIn: row.days_in,
    isActive: row.active === 1,
    nextAtMs: row.next_at,
    failures: row.failures,
    lastError: row.last_error,
    createdBy: authorOf(row),
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}

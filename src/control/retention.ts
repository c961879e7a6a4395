import { LIMITS } from "../contract/limits.ts";
import { DAY_MS } from "../lib/time.ts";
import type { ControlStore, Reader, Tx } from "./store.ts";

/**
 * The kinds of rows that retention removes. The list is closed: each is a metric label and a line of `sextant
 * retention`.
 */
export const RETAINED = [
  "events",
  "parked_events",
  "deliveries",
  "alert_firings",
  "submissions",
  "idempotency",
  "sessions",
  "audit_log",
  "uploads",
] as const;
export type Retained = (typeof RETAINED)[number];

export interface RetentionLimit {
  projectId: string;
  days: number;
}

export interface RetentionRun {
  what: Retained;
  ranAtMs: number;
  /** Rows that this run removed. */
  removed: number;
}

/** False if the workspace has no such project. Null keeps its events forever. */
export async function setRetention(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  days: number | null,
): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ retention_days: days })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

/** Of all workspaces. Those that were deleted so long ago have no events left, not even in a log that was full. */
export async function listDeletedProjects(db: Reader, nowMs: number): Promise<string[]> {
  const rows = await db
    .selectFrom("projects")
    .select("id")
    .where("deleted_at", ">", nowMs - LIMITS.keptDays * DAY_MS)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** The limits of all workspaces: retention runs for the whole installation. */
export async function listRetentionLimits(db: Reader): Promise<RetentionLimit[]> {
  const rows = await db
    .selectFrom("projects")
    .select(["id", "retention_days"])
    .where("retention_days", "is not", null)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ projectId: row.id, days: row.retention_days ?? 0 }));
}

export async function recordRun(store: ControlStore, run: RetentionRun): Promise<void> {
  const values = { ran_at: run.ranAtMs, removed: run.removed };
  await store.write(async (tx) => {
    await tx
      .insertInto("retention_runs")
      .values({ what: run.what, ...values })
      .onConflict((conflict) => conflict.column("what").doUpdateSet(values))
      .execute();
  });
}

/** For an operator who has checked the clock: the next runs count from now. */
export async function resumeRetention(tx: Tx, nowMs: number): Promise<void> {
  await tx.updateTable("retention_runs").set({ ran_at: nowMs }).execute();
}

export async function listRuns(db: Reader): Promise<RetentionRun[]> {
  const rows = await db.selectFrom("retention_runs").select(["what", "ran_at", "removed"]).execute();
  return rows.map((row) => ({ what: row.what as Retained, ranAtMs: row.ran_at, removed: row.removed }));
}

/**
 * Long work for a project, in steps:
 *
 *   (create) --> waiting --claim--> running --save, after each step--> running
 *                   ^                  |--end--> done
 *                   |                  |--end (its work failed)--> failed
 *                   '-----release------'  (the node stops; when it dies, 30 s later)
 *   waiting, running --cancel--> cancelled
 *
 * `running` carries a lease: only its holder may save and end the task. The cursor says where the next holder goes on,
 * so a step must be harmless when it is done twice. A cancelled task, and one whose project was deleted, is no longer
 * its holder's: the next `save` finds that out.
 */
import { type Selectable, sql } from "kysely";
import { isId, newId } from "../lib/ids.ts";
import type { ControlSchema } from "./schema.ts";
import type { ControlStore, Reader, Tx } from "./store.ts";

export type TaskState = ControlSchema["tasks"]["state"];

/** A holder renews it every 10 s, whatever its step takes. */
export const TASK_LEASE_MS = 30_000;

export interface Task {
  id: string;
  workspaceId: string;
  projectId: string;
  kind: string;
  state: TaskState;
  done: number;
  total: number;
  /** Where to go on; null at the beginning. */
  cursor: string | null;
  /** Why it failed. */
  message: string | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

export interface TaskProgress {
  done: number;
  total: number;
  cursor: string;
}

const COLUMNS = [
  "id",
  "workspace_id",
  "project_id",
  "kind",
  "state",
  "done",
  "total",
  "cursor",
  "message",
  "created_at",
  "ended_at",
] as const;

export async function createTask(
  tx: Tx,
  workspaceId: string,
  { projectId, kind }: { projectId: string; kind: string },
  nowMs: number,
): Promise<string> {
  const id = newId("tsk");
  const owner = { id, workspace_id: workspaceId, project_id: projectId };
  const begin = { state: "waiting", done: 0, total: 1, created_at: nowMs } as const;
  await tx
    .insertInto("tasks")
    .values({ ...owner, kind, ...begin })
    .execute();
  return id;
}

/** Newest first. */
export async function listTasks(db: Reader, workspaceId: string, limit: number): Promise<Task[]> {
  const rows = await db
    .selectFrom("tasks")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toTask);
}

/** The newest of its kind. */
export async function findProjectTask(
  db: Reader,
  workspaceId: string,
  { projectId, kind }: { projectId: string; kind: string },
): Promise<Task | undefined> {
  const row = await db
    .selectFrom("tasks")
    .select(COLUMNS)
    .where("workspace_id", "=", workspaceId)
    .where("project_id", "=", projectId)
    .where("kind", "=", kind)
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  return row && toTask(row);
}

/** False if the workspace has no such task, or it has ended. */
export async function cancelTask(tx: Tx, workspaceId: string, taskId: string, nowMs: number): Promise<boolean> {
  if (!isId("tsk", taskId)) return false;
  const done = await tx
    .updateTable("tasks")
    .set({ state: "cancelled", ended_at: nowMs, lease_owner: null, lease_until: null })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", taskId)
    .where("state", "in", ["waiting", "running"])
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

interface Claim {
  owner: string;
  nowMs: number;
  leaseMs: number;
}

/** The oldest task of these kinds that nobody does. */
export async function claimTask(
  store: ControlStore,
  kinds: readonly string[],
  claim: Claim,
): Promise<Task | undefined> {
  // Every node looks each second, and nearly always finds none: a write transaction would wait for other writers.
  if ((await findOpen(store.read, kinds, claim).executeTakeFirst()) === undefined) return undefined;
  return store.write(async (tx) => {
    const open = findOpen(tx, kinds, claim);
    const found = await (store.backend.skipLocked ? open.forUpdate().skipLocked() : open).executeTakeFirst();
    if (found === undefined) return undefined;
    const row = await tx
      .updateTable("tasks")
      .set({ state: "running", lease_owner: claim.owner, lease_until: claim.nowMs + claim.leaseMs })
      .where("id", "=", found.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    return toTask(row);
  });
}

function findOpen(db: Reader, kinds: readonly string[], { nowMs, leaseMs }: Claim) {
  return (
    db
      .selectFrom("tasks")
      .select("id")
      .where("kind", "in", kinds)
      // Literals: otherwise SQLite does not use the partial index.
      .where(sql<boolean>`state in ('waiting', 'running')`)
      .where((e) =>
        e.or([
          e("state", "=", "waiting"),
          e("lease_until", "<=", nowMs),
          // A lease this far in the future was written before a clock was set back.
          e("lease_until", ">", nowMs + 2 * leaseMs),
        ]),
      )
      .orderBy("created_at")
      .limit(1)
  );
}

/** What its holder may change. */
type HolderChange =
  | { lease_until: number }
  | { done: number; total: number; cursor: string; lease_until: number }
  | { state: "waiting" | "done" | "failed"; message: string | null; ended_at: number | null; lease_until: null };

/** False if the task is no longer its holder's. */
async function change(store: ControlStore, taskId: string, owner: string, to: HolderChange): Promise<boolean> {
  return store.write(async (tx) => {
    const done = await tx
      .updateTable("tasks")
      .set(to)
      .where("id", "=", taskId)
      .where("lease_owner", "=", owner)
      .where("state", "=", "running")
      .executeTakeFirst();
    return done.numUpdatedRows === 1n;
  });
}

export function renewTask(store: ControlStore, taskId: string, owner: string, untilMs: number): Promise<boolean> {
  return change(store, taskId, owner, { lease_until: untilMs });
}

export function saveTask(
  store: ControlStore,
  taskId: string,
  owner: string,
  progress: TaskProgress,
  untilMs: number,
): Promise<boolean> {
  return change(store, taskId, owner, { ...progress, lease_until: untilMs });
}

export function endTask(
  store: ControlStore,
  taskId: string,
  owner: string,
  end: { state: "done" | "failed"; message: string | null; nowMs: number },
): Promise<boolean> {
  const { state, message, nowMs } = end;
  return change(store, taskId, owner, { state, message, ended_at: nowMs, lease_until: null });
}

export function releaseTask(store: ControlStore, taskId: string, owner: string): Promise<boolean> {
  return change(store, taskId, owner, { state: "waiting", message: null, ended_at: null, lease_until: null });
}

/** For the start of a service that is the only user of its store: every lease belongs to the previous, dead process. */
export async function releaseAbandonedTasks(store: ControlStore): Promise<void> {
  if (store.backend.sharedBetweenNodes) return;
  await store.write(async (tx) => {
    await tx.updateTable("tasks").set({ state: "waiting", lease_until: null }).where("state", "=", "running").execute();
  });
}

function toTask(row: Pick<Selectable<ControlSchema["tasks"]>, (typeof COLUMNS)[number]>): Task {
  const { id, kind, state, done, total, cursor, message } = row;
  const owner = { workspaceId: row.workspace_id, projectId: row.project_id };
  return {
    id,
    ...owner,
    kind,
    state,
    done,
    total,
    cursor,
    message,
    createdAtMs: row.created_at,
    endedAtMs: row.ended_at,
  };
}

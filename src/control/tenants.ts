import { newId } from "../lib/ids.ts";
import { UTC } from "../lib/time-zones.ts";
import { endProjectRows } from "./project-tables.ts";
import type { Reader, Tx } from "./store.ts";

export interface Workspace {
  id: string;
  name: string;
  createdAtMs: number;
}

export interface Project {
  id: string;
  workspaceId: string;
  name: string;
  createdAtMs: number;
  /** Whether reports exclude bots. */
  excludeBots: boolean;
  /** Days that its events are kept; null: forever. */
  retentionDays: number | null;
  /** What revenue and volume are shown in: a currency or a token. */
  moneyUnit: string;
  /** The time zone whose days its reports count. */
  timezone: string;
  /** Its events are invented (src/demo). */
  isDemo: boolean;
}

export async function createWorkspace(tx: Tx, name: string, nowMs: number): Promise<Workspace> {
  const workspace = { id: newId("wsp"), name, createdAtMs: nowMs };
  await tx.insertInto("workspaces").values({ id: workspace.id, name, created_at: nowMs }).execute();
  return workspace;
}

export async function listWorkspaces(db: Reader): Promise<Workspace[]> {
  const rows = await db
    .selectFrom("workspaces")
    .select(["id", "name", "created_at"])
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ id: row.id, name: row.name, createdAtMs: row.created_at }));
}

export async function findWorkspace(db: Reader, workspaceId: string): Promise<Workspace | undefined> {
  const row = await db
    .selectFrom("workspaces")
    .select(["id", "name", "created_at"])
    .where("id", "=", workspaceId)
    .executeTakeFirst();
  return row && { id: row.id, name: row.name, createdAtMs: row.created_at };
}

export async function renameWorkspace(tx: Tx, workspaceId: string, name: string): Promise<boolean> {
  const done = await tx.updateTable("workspaces").set({ name }).where("id", "=", workspaceId).executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function createProject(
  tx: Tx,
  workspaceId: string,
  name: string,
  nowMs: number,
  isDemo = false,
): Promise<Project> {
  const settings = { excludeBots: true, retentionDays: null, moneyUnit: "USD", timezone: UTC, isDemo };
  const project = { id: newId("prj"), workspaceId, name, createdAtMs: nowMs, ...settings };
  // The column's own default counts bots: projects of before this default keep what they had.
  const stored = { id: project.id, workspace_id: workspaceId, name, created_at: nowMs, exclude_bots: 1 };
  await tx
    .insertInto("projects")
    .values({ ...stored, ...(isDemo ? { is_demo: 1 } : {}) })
    .execute();
  return project;
}

/**
 * Ends the rows of it (project-tables.ts) and hides it at once; a job removes its events. The row stays, with a name
 * that frees the old one: keys and, until they are removed, events refer to it. False if the workspace has no such
 * project.
 */
export async function deleteProject(tx: Tx, workspaceId: string, projectId: string, nowMs: number): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ deleted_at: nowMs, name: projectId })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (done.numUpdatedRows !== 1n) return false;
  await endProjectRows(tx, workspaceId, projectId, nowMs);
  return true;
}

export async function listProjects(db: Reader, workspaceId: string): Promise<Project[]> {
  const rows = await db
    .selectFrom("projects")
    .select([
      "id",
      "workspace_id",
      "name",
      "created_at",
      "exclude_bots",
      "retention_days",
      "money_unit",
      "timezone",
      "is_demo",
    ])
    .where("workspace_id", "=", workspaceId)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    createdAtMs: row.created_at,
    excludeBots: row.exclude_bots === 1,
    retentionDays: row.retention_days,
    moneyUnit: row.money_unit,
    timezone: row.timezone,
    isDemo: row.is_demo === 1,
  }));
}

export async function findProject(db: Reader, workspaceId: string, projectId: string): Promise<Project | undefined> {
  return (await listProjects(db, workspaceId)).find((project) => project.id === projectId);
}

/** Without a tenant, like findApiKeyByHash: it determines the workspace of a request. */
export async function findProjectWorkspace(db: Reader, projectId: string): Promise<string | undefined> {
  const row = await db.selectFrom("projects").select("workspace_id").where("id", "=", projectId).executeTakeFirst();
  return row?.workspace_id;
}

export async function renameProject(tx: Tx, workspaceId: string, projectId: string, name: string): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ name })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function setExcludeBots(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  excludeBots: boolean,
): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ exclude_bots: excludeBots ? 1 : 0 })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function setMoneyUnit(
  tx: Tx,
  workspaceId: string,
  projectId: string,
  moneyUnit: string,
): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ money_unit: moneyUnit })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

export async function setTimeZone(tx: Tx, workspaceId: string, projectId: string, timezone: string): Promise<boolean> {
  const done = await tx
    .updateTable("projects")
    .set({ timezone })
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", projectId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

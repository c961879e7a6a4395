/**
 * THE list of the control store's tables: their keys, by which a backup reads them, and what deleting a project does to
 * the rows of it. A test compares the list with the schema: a new table belongs here, or nothing of it is saved.
 */
import type { ControlSchema } from "./schema.ts";
import type { Tx } from "./store.ts";

/**
 * - revoke: the row is a credential. It ends at once and stays, because the list of keys shows it.
 * - delete: the row goes in the same transaction.
 * - keep: the row ends by itself, and holds nothing of the project.
 */
type WhenProjectIsDeleted = "revoke" | "delete" | "keep";

interface Table {
  /** Its primary key. */
  readonly key: readonly string[];
  /** For every table with a `project_id`. */
  readonly whenProjectIsDeleted?: WhenProjectIsDeleted;
}

/** The tables in a backup, in an order in which every row follows the rows that it refers to. */
export const CONTROL_TABLES = {
  installation: { key: ["id"] },
  workspaces: { key: ["id"] },
  projects: { key: ["id"] },
  api_keys: { key: ["id"], whenProjectIsDeleted: "revoke" },
  write_keys: { key: ["id"], whenProjectIsDeleted: "revoke" },
  bi_tokens: { key: ["id"], whenProjectIsDeleted: "revoke" },
  annotations: { key: ["id"], whenProjectIsDeleted: "delete" },
  saved_queries: { key: ["id"], whenProjectIsDeleted: "delete" },
  segments: { key: ["id"], whenProjectIsDeleted: "delete" },
  boards: { key: ["id"], whenProjectIsDeleted: "delete" },
  charts: { key: ["id"], whenProjectIsDeleted: "delete" },
  // Not revoke: a link that is gone is one that never was.
  board_links: { key: ["id"], whenProjectIsDeleted: "delete" },
  // The node that does it finds no row and stops.
  tasks: { key: ["id"], whenProjectIsDeleted: "delete" },
  imports: { key: ["id"], whenProjectIsDeleted: "delete" },
  alerts: { key: ["id"], whenProjectIsDeleted: "delete" },
  alert_firings: { key: ["id"], whenProjectIsDeleted: "delete" },
  alert_cursors: { key: ["project_id"], whenProjectIsDeleted: "delete" },
  alert_minutes: { key: ["project_id", "minute"], whenProjectIsDeleted: "delete" },
  alert_counts: { key: ["alert_id", "minute"], whenProjectIsDeleted: "delete" },
  alert_metrics: { key: ["alert_id"], whenProjectIsDeleted: "delete" },
  alert_wallets: { key: ["alert_id", "address"], whenProjectIsDeleted: "delete" },
  report_schedules: { key: ["id"], whenProjectIsDeleted: "delete" },
  report_runs: { key: ["id"], whenProjectIsDeleted: "delete" },
  mail_addresses: { key: ["id"] },
  // A job finds files without a row and removes them.
  uploads: { key: ["id"], whenProjectIsDeleted: "delete" },
  forms: { key: ["id"] },
  submissions: { key: ["id"] },
  webhooks: { key: ["id"] },
  deliveries: { key: ["id"] },
  delivery_attempts: { key: ["delivery_id", "number"] },
  // A request that is repeated within a day gets the same answer, also the one that deleted the project.
  idempotency: { key: ["workspace_id", "project_id", "key"], whenProjectIsDeleted: "keep" },
  retention_runs: { key: ["what"] },
  users: { key: ["id"] },
  members: { key: ["workspace_id", "user_id"] },
  sessions: { key: ["id"] },
  passkeys: { key: ["id"] },
  wallets: { key: ["id"] },
  identities: { key: ["issuer", "subject"] },
  used_challenges: { key: ["id"] },
  one_time_links: { key: ["id"] },
  audit_log: { key: ["id"] },
  alert_reads: { key: ["project_id", "user_id"], whenProjectIsDeleted: "delete" },
} as const satisfies Partial<Record<keyof ControlSchema, Table>>;

/** Created by the migrations or by triggers, or worthless a second later. None of them is of a project. */
export const UNSAVED_TABLES = [
  "schema_migrations",
  "rate_limits",
  "leases",
  "write_checks",
  "submission_counts",
  "delivery_counts",
] as const satisfies readonly (keyof ControlSchema)[];

export type ControlTable = keyof typeof CONTROL_TABLES;

/** The tables that deleting a project changes in this way. */
type TablesTo<Effect extends WhenProjectIsDeleted> = {
  [T in ControlTable]: (typeof CONTROL_TABLES)[T] extends { whenProjectIsDeleted: Effect } ? T : never;
}[ControlTable];

function tablesTo<Effect extends WhenProjectIsDeleted>(effect: Effect): TablesTo<Effect>[] {
  const entries = Object.entries(CONTROL_TABLES) as [ControlTable, Table][];
  return entries.flatMap(([name, table]) => (table.whenProjectIsDeleted === effect ? [name as TablesTo<Effect>] : []));
}

/** Does to every table what the list says. */
export async function endProjectRows(tx: Tx, workspaceId: string, projectId: string, nowMs: number): Promise<void> {
  await endAlertTargets(tx, workspaceId, projectId, nowMs);
  for (const table of tablesTo("revoke"))
    await tx
      .updateTable(table)
      .set({ revoked_at: nowMs })
      .where("workspace_id", "=", workspaceId)
      .where("project_id", "=", projectId)
      .where("revoked_at", "is", null)
      .execute();
  for (const table of tablesTo("delete"))
    await tx.deleteFrom(table).where("workspace_id", "=", workspaceId).where("project_id", "=", projectId).execute();
}

/** Subscriptions name no project, but their source: what waits for the targets of its alerts is not sent. */
async function endAlertTargets(tx: Tx, workspaceId: string, projectId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({ deleted_at: nowMs, updated_at: nowMs, next_due_at: 0 })
    .where("workspace_id", "=", workspaceId)
    .where("source_kind", "=", "alert")
    .where("source_id", "in", (e) => e.selectFrom("alerts").select("id").where("project_id", "=", projectId))
    .where("deleted_at", "is", null)
    .execute();
}

import type { Transaction } from "kysely";

/** What is remembered of the last evaluation of an alert on a number. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("alert_metrics")
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("alert_id", "text", (c) => c.primaryKey().notNull())
    .addColumn("active_since", "bigint", (c) => c.notNull())
    .addColumn("evaluated_to", "bigint", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("memory", "text", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("alert_metrics_due").on("alert_metrics").column("due_at").execute();
}

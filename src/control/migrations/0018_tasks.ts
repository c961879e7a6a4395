import { sql, type Transaction } from "kysely";

/** Long work for a project, which survives the end of the process that does it. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("tasks")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("done", "bigint", (c) => c.notNull())
    .addColumn("total", "bigint", (c) => c.notNull())
    .addColumn("cursor", "text")
    .addColumn("message", "text")
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await tx.schema.createIndex("tasks_listed").on("tasks").columns(["workspace_id", "created_at"]).execute();
  // Every node asks for work each second; ended tasks cost it nothing.
  await tx.schema
    .createIndex("tasks_open")
    .on("tasks")
    .column("created_at")
    .where(sql.ref("state"), "in", [sql.lit("waiting"), sql.lit("running")])
    .execute();
}

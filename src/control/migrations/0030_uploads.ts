import type { Transaction } from "kysely";

/** Files that people have sent in order to import them. The bytes lie in the directory of imports. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("uploads")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("file_name", "text", (c) => c.notNull())
    .addColumn("file_bytes", "bigint", (c) => c.notNull())
    .addColumn("received_bytes", "bigint", (c) => c.notNull())
    .addColumn("source", "text")
    .addColumn("mapping", "text")
    .addColumn("task_id", "text")
    .addColumn("import_id", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("changed_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("uploads_listed").on("uploads").columns(["workspace_id", "created_at"]).execute();
  await tx.schema.createIndex("uploads_task").on("uploads").column("task_id").execute();
}

import type { Transaction } from "kysely";

/** Files of history, and how far each is imported: a second start goes on there. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("imports")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("file_name", "text", (c) => c.notNull())
    .addColumn("file_bytes", "bigint", (c) => c.notNull())
    .addColumn("content_id", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("rows_done", "bigint", (c) => c.notNull())
    .addColumn("events", "bigint", (c) => c.notNull())
    .addColumn("refused", "bigint", (c) => c.notNull())
    .addColumn("refused_bytes", "bigint", (c) => c.notNull())
    .addColumn("has_keyless", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("saved_at", "bigint", (c) => c.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await tx.schema.createIndex("imports_content").on("imports").columns(["project_id", "content_id"]).unique().execute();
  await tx.schema.createIndex("imports_listed").on("imports").columns(["workspace_id", "created_at"]).execute();
}

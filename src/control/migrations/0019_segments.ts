import type { Transaction } from "kysely";

/** Filters that a project keeps under a title. `created_by` is null where an API key saved them. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("segments")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("filters", "text", (c) => c.notNull())
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("segments_project").on("segments").columns(["workspace_id", "project_id"]).execute();
}

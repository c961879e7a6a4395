import type { Transaction } from "kysely";

/** SQL that members keep for a project. `created_by` is null where an API key saved it. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("saved_queries")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("query", "text", (c) => c.notNull())
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("saved_queries_project")
    .on("saved_queries")
    .columns(["workspace_id", "project_id"])
    .execute();
}

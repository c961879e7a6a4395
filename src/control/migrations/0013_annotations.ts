import type { Transaction } from "kysely";

/** Notes on days of a project, which charts show. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("annotations")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("note", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("annotations_day")
    .on("annotations")
    .columns(["workspace_id", "project_id", "day"])
    .execute();
}

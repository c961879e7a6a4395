import type { Transaction } from "kysely";

/**
 * Boards, and their charts in an order. `spec` is what a chart asks and how it is drawn, as JSON: its kinds differ in
 * nearly every field, and no statement reads one. `board_id` is no foreign key: deleting a project empties the tables
 * one by one, boards first.
 */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("boards")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("is_public", "integer", (c) => c.notNull())
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint")
    .execute();
  await tx.schema.createIndex("boards_project").on("boards").columns(["workspace_id", "project_id"]).execute();
  await tx.schema
    .createTable("charts")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("board_id", "text", (c) => c.notNull())
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("chart_type", "text", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("spec", "text", (c) => c.notNull())
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint")
    .execute();
  await tx.schema.createIndex("charts_board").on("charts").columns(["board_id", "position"]).execute();
  await tx.schema.createIndex("charts_project").on("charts").columns(["workspace_id", "project_id"]).execute();
}

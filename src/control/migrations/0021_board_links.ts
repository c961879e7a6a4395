import type { Transaction } from "kysely";

/**
 * Public links of boards. `hash` finds the link of a token, and `sealed` is the token itself, encrypted, so that members
 * can copy it again. `board_id` is no foreign key, as in charts.
 */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("board_links")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("board_id", "text", (c) => c.notNull())
    .addColumn("title", "text")
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("sealed", "text", (c) => c.notNull())
    .addColumn("password_hash", "text")
    .addColumn("filters", "text")
    .addColumn("segment_id", "text")
    .addColumn("date_from", "text")
    .addColumn("date_to", "text")
    .addColumn("days", "integer")
    .addColumn("frame_ancestors", "text", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .addColumn("uses", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("board_links_board").on("board_links").columns(["workspace_id", "board_id"]).execute();
  await tx.schema
    .createIndex("board_links_project")
    .on("board_links")
    .columns(["workspace_id", "project_id"])
    .execute();
}

import type { Transaction } from "kysely";

/** Passwords of BI tools: each reads one project through the ClickHouse endpoint. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("bi_tokens")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("prefix", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .execute();
  await tx.schema.createIndex("bi_tokens_workspace").on("bi_tokens").column("workspace_id").execute();
}

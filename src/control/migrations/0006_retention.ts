import type { Transaction } from "kysely";

/** How long a project's events are kept, and when what is no longer kept was last removed. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("projects").addColumn("retention_days", "integer").execute();
  await tx.schema
    .createTable("retention_runs")
    .addColumn("what", "text", (c) => c.primaryKey().notNull())
    .addColumn("ran_at", "bigint", (c) => c.notNull())
    .addColumn("removed", "bigint", (c) => c.notNull())
    .execute();
}

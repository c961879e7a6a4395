import type { Transaction } from "kysely";

/** How long a project's events are kept, and the last retention runs. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("projects").addColumn("retention_days", "integer").execute();
  await tx.schema
    .createTable("retention_runs")
    .addColumn("what", "text", (c) => c.primaryKey().notNull())
    .addColumn("ran_at", "bigint", (c) => c.notNull())
    .addColumn("removed", "bigint", (c) => c.notNull())
    .execute();
}

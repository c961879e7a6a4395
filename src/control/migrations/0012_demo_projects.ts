import type { Transaction } from "kysely";

/** Projects of invented events, and projects that were deleted: their rows stay until their events are removed. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .alterTable("projects")
    .addColumn("is_demo", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await tx.schema.alterTable("projects").addColumn("deleted_at", "bigint").execute();
}

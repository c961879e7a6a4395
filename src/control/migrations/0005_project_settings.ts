import type { Transaction } from "kysely";

/** What a project's reports exclude. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .alterTable("projects")
    .addColumn("exclude_bots", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}

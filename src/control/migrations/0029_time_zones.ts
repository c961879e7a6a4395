import type { Transaction } from "kysely";

/** Whose days the reports of a project count. Until now all of them were days of UTC. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .alterTable("projects")
    .addColumn("timezone", "text", (c) => c.notNull().defaultTo("UTC"))
    .execute();
}

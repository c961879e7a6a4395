import type { Transaction } from "kysely";

/** What the revenue and volume of a project are counted in. The SDK's documents call both USD. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .alterTable("projects")
    .addColumn("money_unit", "text", (c) => c.notNull().defaultTo("USD"))
    .execute();
}

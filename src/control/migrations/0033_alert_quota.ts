import type { Transaction } from "kysely";

/** How many matches an alert has told one by one in its current 24 hours: a storm without end fills no inbox. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  for (const column of ["day_at", "day_items"])
    await tx.schema
      .alterTable("alerts")
      .addColumn(column, "bigint", (c) => c.notNull().defaultTo(0))
      .execute();
}

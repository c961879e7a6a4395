import type { Transaction } from "kysely";

/** The row that readiness writes to prove that the store accepts writes. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("write_checks")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("checked_at", "bigint", (c) => c.notNull())
    .addColumn("filler", "text", (c) => c.notNull())
    .execute();
}

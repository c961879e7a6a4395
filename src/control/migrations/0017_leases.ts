import type { Transaction } from "kysely";

/** Work that one node does for all. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("leases")
    .addColumn("name", "text", (c) => c.primaryKey().notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("until", "bigint", (c) => c.notNull())
    .execute();
}

import type { Transaction } from "kysely";

/** One process imports a file at a time, and an import of days knows which days it has. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("imports").addColumn("lease_owner", "text").execute();
  await tx.schema.alterTable("imports").addColumn("lease_until", "bigint").execute();
  await tx.schema.alterTable("imports").addColumn("first_day", "text").execute();
  await tx.schema.alterTable("imports").addColumn("last_day", "text").execute();
}

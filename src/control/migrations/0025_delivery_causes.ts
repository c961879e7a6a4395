import { sql, type Transaction } from "kysely";

/** What a delivery tells about, where that has rows of its own: the firing of an alert. Null for forms. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("deliveries").addColumn("cause_id", "text").execute();
  await tx.schema
    .createIndex("deliveries_cause")
    .on("deliveries")
    .column("cause_id")
    .where(sql.ref("cause_id"), "is not", null)
    .execute();
}

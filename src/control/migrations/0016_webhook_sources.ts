import { sql, type Transaction } from "kysely";

/**
 * A subscription is to the events of any source, and names the style of its requests. Those of before are to forms, in
 * the style of Standard Webhooks. The defaults are for these rows: SQLite adds no column that must have a value without
 * one.
 */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .alterTable("webhooks")
    .addColumn("source_kind", "text", (c) => c.notNull().defaultTo("form"))
    .execute();
  await tx.schema
    .alterTable("webhooks")
    .addColumn("source_id", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await tx.schema
    .alterTable("webhooks")
    .addColumn("style", "text", (c) => c.notNull().defaultTo("standard_webhooks"))
    .execute();
  await sql`update webhooks set source_id = form_id`.execute(tx);
  await tx.schema.dropIndex("webhooks_target_unique").execute();
  await tx.schema.alterTable("webhooks").dropColumn("form_id").execute();
  await tx.schema
    .createIndex("webhooks_target_unique")
    .unique()
    .on("webhooks")
    .columns(["source_kind", "source_id", "target_url"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
}

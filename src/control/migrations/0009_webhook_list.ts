import { sql, type Transaction } from "kysely";

/** The list of a workspace's webhooks, without the deleted ones, which stay for their deliveries. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.dropIndex("webhooks_workspace").execute();
  await tx.schema
    .createIndex("webhooks_listed")
    .on("webhooks")
    .columns(["workspace_id", "created_at", "id"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
}

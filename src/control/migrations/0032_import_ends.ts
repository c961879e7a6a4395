import { sql, type Transaction } from "kysely";

/** An import says why it was refused, and whether its file was sent to the service. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("imports").addColumn("message", "text").execute();
  await tx.schema.alterTable("imports").addColumn("upload_id", "text").execute();
  await sql`UPDATE imports SET upload_id = (SELECT u.id FROM uploads u WHERE u.import_id = imports.id)`.execute(tx);
}

import { sql, type Transaction } from "kysely";
import type { Backend } from "../../engines/control.ts";

/** Idempotency records, which make requests safe to repeat, and rate limits. */
export async function up(tx: Transaction<unknown>, backend: Backend): Promise<void> {
  await tx.schema
    .createTable("idempotency")
    .addColumn("workspace_id", "text", (c) => c.notNull())
    .addColumn("project_id", "text", (c) => c.notNull())
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("fingerprint", "text", (c) => c.notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("lease_until", "bigint", (c) => c.notNull())
    .addColumn("status", "integer")
    .addColumn("content_type", "text")
    .addColumn("body", "text")
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("idempotency_pkey", ["workspace_id", "project_id", "key"])
    .execute();
  await tx.schema.createIndex("idempotency_expiry").on("idempotency").column("expires_at").execute();
  await tx.schema
    .createTable("rate_limits")
    .addColumn("subject", "text", (c) => c.primaryKey().notNull())
    .addColumn("tat_us", "bigint", (c) => c.notNull())
    .execute();
  // A limit that a crash resets does no harm. A logged table would cost an fsync for every request of every client.
  if (backend.unloggedTables) await sql`alter table rate_limits set unlogged`.execute(tx);
}

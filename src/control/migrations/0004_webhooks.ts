import { sql, type Transaction } from "kysely";

/** Webhook subscriptions, their deliveries (the outbox) and every delivery attempt. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("webhooks")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("form_id", "text", (c) => c.notNull().references("forms.id"))
    .addColumn("target_url", "text", (c) => c.notNull())
    .addColumn("target_origin", "text", (c) => c.notNull())
    .addColumn("event_types", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("status_reason", "text")
    .addColumn("status_since", "bigint", (c) => c.notNull())
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("previous_secret", "text")
    .addColumn("previous_secret_until", "bigint")
    .addColumn("next_sequence", "bigint", (c) => c.notNull())
    .addColumn("next_due_at", "bigint")
    .addColumn("last_success_at", "bigint")
    .addColumn("last_failure_at", "bigint")
    .addColumn("failing_since", "bigint")
    .addColumn("failures", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addColumn("deleted_at", "bigint")
    .execute();
  await tx.schema
    .createIndex("webhooks_target_unique")
    .unique()
    .on("webhooks")
    .columns(["form_id", "target_url"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await tx.schema.createIndex("webhooks_workspace").on("webhooks").columns(["workspace_id", "created_at"]).execute();
  await tx.schema
    .createIndex("webhooks_due")
    .on("webhooks")
    .column("next_due_at")
    .where(sql.ref("next_due_at"), "is not", null)
    .execute();
  await tx.schema
    .createIndex("webhooks_deleted")
    .on("webhooks")
    .column("deleted_at")
    .where(sql.ref("deleted_at"), "is not", null)
    .execute();
  await tx.schema
    .createTable("deliveries")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull())
    .addColumn("webhook_id", "text", (c) => c.notNull().references("webhooks.id"))
    .addColumn("event_type", "text", (c) => c.notNull())
    .addColumn("sequence", "bigint", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("tier", "integer", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("tries", "integer", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", "bigint")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("settled_at", "bigint")
    .addUniqueConstraint("deliveries_sequence_unique", ["webhook_id", "sequence"])
    .execute();
  // Each index covers one state only, so a million delivered rows cost the worker nothing.
  await tx.schema
    .createIndex("deliveries_pending")
    .on("deliveries")
    .columns(["webhook_id", "tier", "due_at", "sequence"])
    .where(sql.ref("state"), "=", sql.lit("pending"))
    .execute();
  await tx.schema
    .createIndex("deliveries_sending")
    .on("deliveries")
    .column("lease_until")
    .where(sql.ref("state"), "=", sql.lit("sending"))
    .execute();
  await tx.schema
    .createIndex("deliveries_recoverable")
    .on("deliveries")
    .columns(["webhook_id", "created_at"])
    .where(sql.ref("state"), "in", [sql.lit("failed"), sql.lit("skipped")])
    .execute();
  await tx.schema.createIndex("deliveries_age").on("deliveries").column("created_at").execute();
  await tx.schema
    .createTable("delivery_attempts")
    .addColumn("delivery_id", "text", (c) => c.notNull().references("deliveries.id").onDelete("cascade"))
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("started_at", "bigint", (c) => c.notNull())
    .addColumn("duration_ms", "integer", (c) => c.notNull())
    .addColumn("outcome", "text", (c) => c.notNull())
    .addColumn("status", "integer")
    .addColumn("reason", "text")
    .addColumn("response", "text")
    .addPrimaryKeyConstraint("delivery_attempts_pkey", ["delivery_id", "number"])
    .execute();
}

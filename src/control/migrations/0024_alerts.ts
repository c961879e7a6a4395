import type { Transaction } from "kysely";

/**
 * Alerts, what they have told, and how far their projects are looked at. `alert_id` is no foreign key: deleting a
 * project empties the tables one by one.
 *
 * No column of an event says when it was stored, and an event may be stored long after its receipt. `alert_minutes` has
 * for each minute of receipt how many events of the ledger are looked at: a minute with another number has new ones.
 * `alert_counts` has the matches of an alert in such a minute, so that a minute that is read again adds only what is
 * new. A firing has the id of its match, so that it is there once.
 */
export async function up(tx: Transaction<unknown>): Promise<void> {
  const owned = (name: string) =>
    tx.schema
      .createTable(name)
      .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
      .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"));
  await owned("alerts")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("trigger_type", "text", (c) => c.notNull())
    .addColumn("filters", "text", (c) => c.notNull())
    .addColumn("metric", "text")
    .addColumn("recipients", "text", (c) => c.notNull())
    .addColumn("property_keys", "text", (c) => c.notNull())
    .addColumn("secret", "text")
    .addColumn("include_imported", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("status_reason", "text")
    .addColumn("state", "text")
    .addColumn("muted_until", "bigint")
    .addColumn("active_since", "bigint", (c) => c.notNull())
    .addColumn("failures", "integer", (c) => c.notNull())
    .addColumn("last_fired_at", "bigint")
    .addColumn("storm_at", "bigint", (c) => c.notNull())
    .addColumn("storm_items", "integer", (c) => c.notNull())
    .addColumn("storm_more", "bigint", (c) => c.notNull())
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint")
    .execute();
  await tx.schema.createIndex("alerts_project").on("alerts").columns(["workspace_id", "project_id"]).execute();
  await tx.schema.createIndex("alerts_active").on("alerts").columns(["status", "project_id"]).execute();
  await owned("alert_firings")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("alert_id", "text", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("count", "bigint", (c) => c.notNull())
    .addColumn("details", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createIndex("alert_firings_listed")
    .on("alert_firings")
    .columns(["alert_id", "created_at", "id"])
    .execute();
  await tx.schema.createIndex("alert_firings_age").on("alert_firings").column("created_at").execute();
  await owned("alert_cursors")
    .addColumn("version", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("alert_cursors_pkey", ["project_id"] as never[])
    .execute();
  await owned("alert_minutes")
    .addColumn("minute", "bigint", (c) => c.notNull())
    .addColumn("events", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("alert_minutes_pkey", ["project_id", "minute"] as never[])
    .execute();
  await owned("alert_counts")
    .addColumn("alert_id", "text", (c) => c.notNull())
    .addColumn("minute", "bigint", (c) => c.notNull())
    .addColumn("matches", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("alert_counts_pkey", ["alert_id", "minute"] as never[])
    .execute();
  await owned("alert_wallets")
    .addColumn("alert_id", "text", (c) => c.notNull())
    .addColumn("address", "text", (c) => c.notNull())
    .addColumn("fired_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("alert_wallets_pkey", ["alert_id", "address"] as never[])
    .execute();
  for (const table of ["alert_minutes", "alert_counts"])
    await tx.schema.createIndex(`${table}_age`).on(table).column("minute").execute();
  await tx.schema.createIndex("alert_wallets_age").on("alert_wallets").column("fired_at").execute();
}

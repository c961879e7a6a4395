import type { Transaction } from "kysely";

/** People: users, their roles, sessions and ways to sign in, one-time links, and the audit log. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("users")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("name_key", "text", (c) => c.notNull().unique())
    .addColumn("password_hash", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("disabled_at", "bigint")
    .execute();
  await tx.schema
    .createTable("members")
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("user_id", "text", (c) => c.notNull().references("users.id"))
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("members_pkey", ["workspace_id", "user_id"])
    .execute();
  await tx.schema.createIndex("members_user").on("members").column("user_id").execute();
  await createSignIn(tx);
  await tx.schema
    .createTable("one_time_links")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("workspace_id", "text", (c) => c.references("workspaces.id"))
    .addColumn("role", "text")
    .addColumn("user_id", "text", (c) => c.references("users.id"))
    .addColumn("note", "text", (c) => c.notNull())
    .addColumn("created_by", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("one_time_links_workspace").on("one_time_links").column("workspace_id").execute();
  await tx.schema.createIndex("one_time_links_expiry").on("one_time_links").column("expires_at").execute();
  await tx.schema
    .createTable("audit_log")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.references("workspaces.id"))
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("user_id", "text")
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("target", "text", (c) => c.notNull())
    .addColumn("details", "text", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("audit_log_newest").on("audit_log").columns(["workspace_id", "at", "id"]).execute();
  await tx.schema.createIndex("audit_log_age").on("audit_log").column("at").execute();
}

async function createSignIn(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("sessions")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("user_id", "text", (c) => c.notNull().references("users.id"))
    .addColumn("method", "text", (c) => c.notNull())
    .addColumn("user_agent", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("last_seen_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("sessions_user").on("sessions").column("user_id").execute();
  await tx.schema.createIndex("sessions_expiry").on("sessions").column("expires_at").execute();
  await tx.schema
    .createTable("passkeys")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("user_id", "text", (c) => c.notNull().references("users.id"))
    .addColumn("credential_id", "text", (c) => c.notNull().unique())
    .addColumn("public_key", "text", (c) => c.notNull())
    .addColumn("counter", "bigint", (c) => c.notNull())
    .addColumn("transports", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();
  await tx.schema.createIndex("passkeys_user").on("passkeys").column("user_id").execute();
  await tx.schema
    .createTable("wallets")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("user_id", "text", (c) => c.notNull().references("users.id"))
    .addColumn("address", "text", (c) => c.notNull())
    .addColumn("chain_id", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("wallets_address_unique", ["address", "chain_id"])
    .execute();
  await tx.schema.createIndex("wallets_user").on("wallets").column("user_id").execute();
  await tx.schema
    .createTable("identities")
    .addColumn("issuer", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("user_id", "text", (c) => c.notNull().references("users.id"))
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("identities_pkey", ["issuer", "subject"])
    .execute();
  await tx.schema.createIndex("identities_user").on("identities").column("user_id").execute();
  await tx.schema
    .createTable("used_challenges")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema.createIndex("used_challenges_expiry").on("used_challenges").column("expires_at").execute();
}

import type { Transaction } from "kysely";

/** The installation itself, workspaces, their projects, and the two kinds of keys. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("installation")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("secret_check", "text", (c) => c.notNull())
    .execute();
  await tx.schema
    .createTable("workspaces")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .execute();
  await tx.schema
    .createTable("projects")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("projects_name_unique", ["workspace_id", "name"])
    .execute();
  await tx.schema
    .createTable("api_keys")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.references("projects.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("prefix", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("scopes", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await tx.schema
    .createTable("write_keys")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("prefix", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await tx.schema.createIndex("api_keys_workspace").on("api_keys").column("workspace_id").execute();
  await tx.schema.createIndex("write_keys_workspace").on("write_keys").column("workspace_id").execute();
}

import type { Transaction } from "kysely";

/** Up to when a person has seen the notifications of a project. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("alert_reads")
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("user_id", "text", (c) => c.notNull())
    .addColumn("read_at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("alert_reads_pk", ["project_id", "user_id"])
    .execute();
  // The bell of every open page asks for the newest ones.
  await tx.schema
    .createIndex("alert_firings_newest")
    .on("alert_firings")
    .columns(["project_id", "created_at"])
    .execute();
}

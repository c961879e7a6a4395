import { sql, type Transaction } from "kysely";
import type { Backend } from "../../engines/control.ts";

/** Forms and their submissions. */
export async function up(tx: Transaction<unknown>, backend: Backend): Promise<void> {
  await tx.schema
    .createTable("forms")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("description", "text", (c) => c.notNull())
    .addColumn("fields", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addColumn("deleted_at", "bigint")
    .execute();
  await tx.schema
    .createIndex("forms_workspace")
    .on("forms")
    .columns(["workspace_id", "created_at", "id"])
    .where(sql.ref("deleted_at"), "is", null)
    .execute();
  await tx.schema
    .createTable("submissions")
    // Compared by bytes in both stores: a poll promises an order by id, and a locale would change that order.
    .addColumn("id", sql`text collate ${sql.id(backend.byteOrder)}`, (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("form_id", "text", (c) => c.notNull().references("forms.id"))
    .addColumn("submitted_at", "bigint", (c) => c.notNull())
    .addColumn("item", "text", (c) => c.notNull())
    // Unique by itself, without the form: a token is bound to one form.
    .addColumn("token_hash", "text", (c) => c.unique())
    .addColumn("spam", "integer", (c) => c.notNull())
    .addColumn("spam_reason", "text")
    .execute();
  // Gives the newest submissions of a form without sorting: a poll reads ten entries, however many there are.
  await tx.schema
    .createIndex("submissions_newest")
    .on("submissions")
    .columns(["workspace_id", "form_id", "spam", "submitted_at", "id"])
    .execute();
  await tx.schema
    .createIndex("submissions_spam")
    .on("submissions")
    .column("submitted_at")
    .where(sql.ref("spam"), "=", sql.lit(1))
    .execute();
}

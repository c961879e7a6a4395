import { sql, type Transaction } from "kysely";

/** Addresses of mail with what their owners have said, and reports that are sent by a schedule. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("mail_addresses")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("address", "text", (c) => c.notNull())
    .addColumn("mailbox", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("asks", "integer", (c) => c.notNull())
    .addColumn("asked_at", "bigint", (c) => c.notNull())
    .addColumn("confirmed_at", "bigint")
    .addColumn("stopped_at", "bigint")
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addUniqueConstraint("mail_addresses_mailbox", ["workspace_id", "mailbox"])
    .execute();
  await createSchedules(tx);
  await tx.schema
    .createTable("report_runs")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("schedule_id", "text", (c) => c.notNull())
    .addColumn("date_from", "text", (c) => c.notNull())
    .addColumn("date_to", "text", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("deliveries", "integer", (c) => c.notNull())
    .addUniqueConstraint("report_runs_period", ["schedule_id", "date_from", "date_to"])
    .execute();
}

async function createSchedules(tx: Transaction<unknown>): Promise<void> {
  await tx.schema
    .createTable("report_schedules")
    .addColumn("id", "text", (c) => c.primaryKey().notNull())
    .addColumn("workspace_id", "text", (c) => c.notNull().references("workspaces.id"))
    .addColumn("project_id", "text", (c) => c.notNull().references("projects.id"))
    .addColumn("board_id", "text")
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("every", "text", (c) => c.notNull())
    .addColumn("weekday", "integer", (c) => c.notNull())
    .addColumn("hour", "integer", (c) => c.notNull())
    .addColumn("timezone", "text", (c) => c.notNull())
    .addColumn("active", "integer", (c) => c.notNull())
    .addColumn("next_at", "bigint")
    .addColumn("retry_at", "bigint", (c) => c.notNull())
    .addColumn("failures", "integer", (c) => c.notNull())
    .addColumn("last_error", "text")
    .addColumn("created_by", "text")
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint")
    .execute();
  await tx.schema
    .createIndex("report_schedules_listed")
    .on("report_schedules")
    .columns(["workspace_id", "project_id"])
    .execute();
  await tx.schema
    .createIndex("report_schedules_due")
    .on("report_schedules")
    .column("next_at")
    .where(sql.ref("next_at"), "is not", null)
    .execute();
}

import { sql, type Transaction } from "kysely";
import type { Backend } from "../../engines/control.ts";

/**
 * How many entries the long lists have. SQLite answers on the thread that serves all requests, and to count 300,000
 * entries
 * took 49 ms each time: there triggers keep the counts, in the transaction of every insert and delete. PostgreSQL
 * counts when
 * it is asked, because it holds up nobody, and a row that all writers of a list change would make them wait for each
 * other.
 */
export async function up(tx: Transaction<unknown>, backend: Backend): Promise<void> {
  for (const list of [
    { counts: "submission_counts", table: "submissions", key: ["workspace_id", "form_id", "spam"] },
    { counts: "delivery_counts", table: "deliveries", key: ["workspace_id", "webhook_id"] },
  ])
    await (backend.answersInThread ? keepCounts(tx, list) : showCounts(tx, list));
}

interface List {
  counts: string;
  table: string;
  key: string[];
}

async function showCounts(tx: Transaction<unknown>, { counts, table, key }: List): Promise<void> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  await sql`create view ${sql.table(counts)} as
    select ${columns}, count(*) as n from ${sql.table(table)} group by ${columns}`.execute(tx);
}

async function keepCounts(tx: Transaction<unknown>, { counts, table, key }: List): Promise<void> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const of = (row: "new" | "old") => sql.join(key.map((name) => sql.ref(`${row}.${name}`)));
  const name = (event: string) => sql.id(`${counts}_${event}`);
  const types: Record<string, "integer" | "text"> = { spam: "integer" };
  let created = tx.schema.createTable(counts);
  for (const column of key) created = created.addColumn(column, types[column] ?? "text", (c) => c.notNull());
  await created
    .addColumn("n", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint(`${counts}_pkey`, key as never[])
    .execute();
  await sql`insert into ${sql.table(counts)} (${columns}, n)
    select ${columns}, count(*) from ${sql.table(table)} group by ${columns}`.execute(tx);
  await sql`create trigger ${name("insert")} after insert on ${sql.table(table)} begin
    insert into ${sql.table(counts)} (${columns}, n) values (${of("new")}, 1)
      on conflict do update set n = n + 1; end`.execute(tx);
  await sql`create trigger ${name("delete")} after delete on ${sql.table(table)} begin
    update ${sql.table(counts)} set n = n - 1 where (${columns}) = (${of("old")});
    delete from ${sql.table(counts)} where (${columns}) = (${of("old")}) and n = 0; end`.execute(tx);
}

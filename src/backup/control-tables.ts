/**
 * The control store as lines of JSON, one file per table. The format is the same for both stores, so a backup from
 * SQLite can be restored on PostgreSQL. That is also how an installation moves onto several nodes.
 */
import { type Kysely, sql } from "kysely";
import { findControlVersion } from "../control/migrate.ts";
import { CONTROL_TABLES, type ControlTable } from "../control/project-tables.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { BackupError } from "./manifest.ts";

export type ControlRow = Record<string, string | number | null>;

/** 500 deliveries with the largest payload are 32 MB. */
const PAGE_ROWS = 500;

/** All rows of a table in the order of its key: the last page costs as much as the first. */
export async function* readTable(tx: Reader, table: ControlTable): AsyncGenerator<ControlRow[], void, void> {
  const { key } = CONTROL_TABLES[table];
  const columns = sql.join(key.map((name) => sql.ref(name)));
  let last: ControlRow | undefined;
  for (;;) {
    const after = last;
    const beyond = after === undefined ? sql`1 = 1` : sql`(${columns}) > (${sql.join(key.map((name) => after[name]))})`;
    const page = await sql<ControlRow>`
      select * from ${sql.table(table)} where ${beyond} order by ${columns} limit ${sql.lit(PAGE_ROWS)}`.execute(tx);
    if (page.rows.length > 0) yield page.rows;
    if (page.rows.length < PAGE_ROWS) return;
    last = page.rows.at(-1);
  }
}

export async function insertRows(tx: Tx, table: ControlTable, rows: readonly ControlRow[]): Promise<void> {
  const db = tx as unknown as Kysely<Record<ControlTable, ControlRow>>;
  for (let at = 0; at < rows.length; at += PAGE_ROWS)
    await db
      .insertInto(table)
      .values(rows.slice(at, at + PAGE_ROWS))
      .execute();
}

/** A restore needs an empty store: the rows of two installations could not be separated again. */
export async function refuseUsedStore(store: ControlStore): Promise<void> {
  if ((await findControlVersion(store.read)) > 0)
    throw new BackupError("the control store is already in use: a restore needs a database without Sextant's tables");
}

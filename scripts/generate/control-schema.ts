/** Dumps of the schema that the migrations create in an empty control store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import type { ControlStore } from "../../src/control/store.ts";
import type { BackendName } from "../../src/engines/control.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { openSqlite } from "../../src/engines/control-sqlite.ts";

const CLOCK = { nowMs: Date.now };
const QUIET = { warn: () => undefined };

export async function sqliteSchema(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), "control-"));
  try {
    return await dump("sqlite", openSqlite<ControlSchema>(join(dir, "control.sqlite")), dumpSqlite);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The database must be empty. */
export async function postgresSchema(url: string): Promise<string> {
  return dump("postgres", await openPostgres<ControlSchema>(url, QUIET), dumpPostgres);
}

async function dump(
  backend: BackendName,
  store: ControlStore,
  read: (store: ControlStore) => Promise<string[]>,
): Promise<string> {
  try {
    await migrateControl(store, CLOCK);
    const head = `-- What src/control/migrations make of an empty ${backend} database. Generated (npm run generate), compared by a test.`;
    return `${head}\n${(await read(store)).join("\n")}\n`;
  } finally {
    await store.close();
  }
}

async function dumpSqlite(store: ControlStore): Promise<string[]> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name`.execute(store.read);
  return rows.map((row) => `${row.sql};`);
}

async function dumpPostgres(store: ControlStore): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select line from (
      select c.relname as t, 1 as k, a.attnum as n,
        format('%s %s.%s %s%s%s', case c.relpersistence when 'u' then 'unlogged table' else 'table' end, c.relname, a.attname,
          format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' else '' end,
          coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      union all
      select c.relname, 2, 0, format('constraint %s.%s %s', c.relname, o.conname, pg_get_constraintdef(o.oid))
      from pg_constraint o join pg_class c on c.oid = o.conrelid
      where c.relnamespace = 'public'::regnamespace and o.contype <> 'n'
      union all
      select tablename, 3, 0, indexdef from pg_indexes where schemaname = 'public'
    ) s order by t, k, n, line`.execute(store.read);
  return rows.map((row) => row.line);
}

/** Writes and removes what an app says about wallets. */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import {
  newestOf,
  WALLET_NUMBERS,
  WALLET_TABLE_NAMES,
  WALLET_TABLES,
  type WalletLabel,
  type WalletProperty,
  type WalletRows,
  type WalletTable,
} from "../wallet-rows.ts";
import type { Database } from "./database.ts";

/** One transaction: all rows, or none. */
export async function writeWallets(database: Database, { properties, labels }: WalletRows): Promise<void> {
  await database.write(async (connection) => {
    await insertWallets(connection, "wallet_properties", properties);
    await insertWallets(connection, "wallet_labels", labels);
  });
}

/** Keeps a row that is newer. */
export async function insertWallets(
  connection: DuckDBConnection,
  table: WalletTable,
  rows: readonly (WalletProperty | WalletLabel)[],
): Promise<void> {
  const kept = newestOf(table, rows);
  if (kept.length === 0) return;
  const values = WALLET_TABLES[table].columns.map(
    (name) => [name, listValue(kept.map((row) => String(row[name as keyof typeof row])))] as const,
  );
  await connection.run(INSERTS[table], Object.fromEntries(values));
}

const INSERTS = Object.fromEntries(WALLET_TABLE_NAMES.map((table) => [table, insertSql(table)])) as Readonly<
  Record<WalletTable, string>
>;

function insertSql(table: WalletTable): string {
  const { columns, keyColumns } = WALLET_TABLES[table];
  const listed = columns.map((name) => {
    const type = WALLET_NUMBERS.includes(name) ? "UBIGINT" : "VARCHAR";
    return `CAST(unnest(CAST($${name} AS VARCHAR[])) AS ${type})`;
  });
  const changes = columns.slice(keyColumns).map((name) => `${name} = excluded.${name}`);
  return `INSERT INTO ${table} (${columns.join(", ")})
SELECT ${listed.join(", ")}
ON CONFLICT (${columns.slice(0, keyColumns).join(", ")})
DO UPDATE SET ${changes.join(", ")} WHERE excluded.changed_ms >= ${table}.changed_ms`;
}

/** All wallets of these projects. Resolves with the number of removed rows. */
export async function removeWallets(database: Database, projects: readonly string[]): Promise<number> {
  if (projects.length === 0) return 0;
  return database.write(async (connection) => {
    let removed = 0;
    for (const table of WALLET_TABLE_NAMES) {
      const sql = `DELETE FROM ${table} WHERE project_id IN CAST($projects AS VARCHAR[])`;
      removed += (await connection.run(sql, { projects: listValue([...projects]) })).rowsChanged;
    }
    return removed;
  });
}

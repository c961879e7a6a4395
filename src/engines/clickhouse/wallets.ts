/** Writes and removes what an app says about wallets. */
import { newestOf, type WalletLabel, type WalletProperty, type WalletRows, type WalletTable } from "../wallet-rows.ts";
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import { insertLines } from "./insert-parked.ts";

const ROWS: Readonly<Record<WalletTable, string>> = {
  wallet_properties: "wallet_property_rows",
  wallet_labels: "wallet_label_rows",
};

export async function writeWallets(clickhouse: Clickhouse, { properties, labels }: WalletRows): Promise<void> {
  await insertWallets(clickhouse, "wallet_properties", properties);
  await insertWallets(clickhouse, "wallet_labels", labels);
}

/** A row that is newer counts, whenever it was written. */
export function insertWallets(
  clickhouse: Pick<Clickhouse, "insert">,
  table: WalletTable,
  rows: readonly (WalletProperty | WalletLabel)[],
): Promise<void> {
  return insertLines(clickhouse, ROWS[table], newestOf(table, rows));
}

/** All wallets of these projects. Resolves with the number of removed rows. */
export async function removeWallets(
  clickhouse: Clickhouse,
  projects: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (projects.length === 0) return 0;
  let removed = 0;
  for (const table of Object.values(ROWS)) {
    const where = "project_id IN {projects:Array(String)}";
    const options = { params: { projects }, signal };
    const { rows } = await clickhouse.select<{ n: number }>(
      `SELECT count() AS n FROM ${table} WHERE ${where}`,
      options,
    );
    const count = rows[0]?.n ?? 0;
    if (count === 0) continue;
    const sql = `ALTER TABLE ${localTable(table, clickhouse.cluster)} DELETE WHERE ${where}`;
    await clickhouse.command(sql, { ...options, settings: { mutations_sync: 2 } });
    removed += count;
  }
  return removed;
}

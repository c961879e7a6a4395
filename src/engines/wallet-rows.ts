/** What an app says about wallets: properties and labels. Each is a row that is written again, never edited. */

/** One property of a wallet. The row with the latest `changed_ms` counts; of equal ones the last that was written. */
export interface WalletProperty {
  readonly project_id: string;
  readonly address: string;
  readonly name: string;
  readonly value: string;
  /** 1: the property was unset. */
  readonly is_deleted: 0 | 1;
  readonly changed_ms: number;
}

/** A label is a wallet, a tag and a chain (`""`: none). */
export interface WalletLabel {
  readonly project_id: string;
  readonly address: string;
  readonly tag_id: string;
  readonly chain_id: string;
  readonly value: string;
  readonly source: string;
  readonly is_deleted: 0 | 1;
  readonly changed_ms: number;
}

export interface WalletRows {
  readonly properties: readonly WalletProperty[];
  readonly labels: readonly WalletLabel[];
}

/** Table -> its columns in order, and how many of them are the key. */
export const WALLET_TABLES = {
  wallet_properties: {
    columns: ["project_id", "address", "name", "value", "is_deleted", "changed_ms"],
    keyColumns: 3,
  },
  wallet_labels: {
    columns: ["project_id", "address", "tag_id", "chain_id", "value", "source", "is_deleted", "changed_ms"],
    keyColumns: 4,
  },
} as const;

export type WalletTable = keyof typeof WALLET_TABLES;
export const WALLET_TABLE_NAMES = Object.keys(WALLET_TABLES) as readonly WalletTable[];

export function isWalletTable(table: string): table is WalletTable {
  return Object.hasOwn(WALLET_TABLES, table);
}

/** The columns of a table that are numbers; the others are texts. */
export const WALLET_NUMBERS: readonly string[] = ["is_deleted", "changed_ms"];

/** One row a key, the one that counts: a statement of an engine may not change a row twice. */
export function newestOf<Row extends WalletProperty | WalletLabel>(table: WalletTable, rows: readonly Row[]): Row[] {
  const { columns, keyColumns } = WALLET_TABLES[table];
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(columns.slice(0, keyColumns).map((name) => row[name as keyof Row]));
    const known = newest.get(key);
    if (known === undefined || row.changed_ms >= known.changed_ms) newest.set(key, row);
  }
  return [...newest.values()];
}

/** The tables that users' statements read, with their columns. */
import { readFileSync } from "node:fs";

export type ColumnType = "String" | "DateTime" | "Date" | "Float64" | "UInt64" | "Array(String)" | "Array(Date)";

export interface UserColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly about: string;
}

export interface UserTable {
  readonly name: string;
  readonly about: string;
  /** The part of tables.sql that defines it; a table without such a part has no rows. */
  readonly part: string;
  readonly columns: readonly UserColumn[];
}

type ColumnLine = readonly [name: string, type: ColumnType, about: string];
type TableText = { about: string } & ({ columns: ColumnLine[] } | { as: string });

const TEXTS = JSON.parse(readFileSync(new URL("./tables.json", import.meta.url), "utf8")) as Record<string, TableText>;

function readColumns(name: string): UserColumn[] {
  const text = TEXTS[name];
  if (text === undefined) throw new Error(`there is no table ${name}`);
  if ("as" in text) return readColumns(text.as);
  return text.columns.map(([column, type, about]) => ({ name: column, type, about }));
}

export const TABLES: readonly UserTable[] = Object.entries(TEXTS).map(([name, text]) => ({
  name,
  about: text.about,
  part: "as" in text ? text.as : name,
  columns: readColumns(name),
}));

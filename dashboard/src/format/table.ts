import { type Format, moneyUnit } from "./numbers.ts";

/** Rows as a person or a spreadsheet reads them. */
export interface TableData {
  columns: readonly TableColumn[];
  rows: readonly object[];
}

export interface TableColumn {
  key: string;
  label: string;
  /** Set for numbers, which are aligned to the right. */
  format?: Format | undefined;
  /** Set for numbers that are shown as they are, such as ids. */
  isRaw?: boolean | undefined;
  /** Where the CSV has another value than the screen, such as the day of a name like "Tue, Nov 10". */
  csvKey?: string | undefined;
  /** How a text is shown; the CSV has the value itself. */
  name?: ((value: string) => string) | undefined;
}

export function cellOf(row: object, key: string): unknown {
  return (row as Readonly<Record<string, unknown>>)[key];
}

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP advises. */
export function csvText({ columns, rows }: TableData): string {
  // A spreadsheet calculates with plain numbers: the unit of an amount is in its heading.
  const heading = ({ label, format }: TableColumn) => (format === "amount" ? `${label} (${moneyUnit()})` : label);
  const lines = [columns.map((column) => csvCell(heading(column)))];
  for (const row of rows) lines.push(columns.map(({ key, csvKey = key }) => csvCell(cellOf(row, csvKey))));
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

/** `demo_channels_2026-10-20_2026-11-16.csv`, of the parts that are known. */
export function csvName(parts: readonly (string | undefined)[]): string {
  const words = parts.map((part) =>
    (part ?? "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, ""),
  );
  return `${words.filter((word) => word !== "").join("_")}.csv`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

import type { TableData } from "./data-table.tsx";

/** RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe in front, as OWASP advises. */
export function csvText({ columns, rows }: TableData): string {
  const lines = [columns.map(({ label }) => cell(label))];
  for (const row of rows) lines.push(columns.map(({ key }) => cell(row[key])));
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function downloadCsv(title: string, table: TableData): void {
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  download(`${name}.csv`, "text/csv;charset=utf-8", csvText(table));
}

export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the file over by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

import { csvText, type TableData } from "../format/table.ts";

/** The browser has taken the file over by then. */
const KEPT_MS = 60_000;

export function downloadCsv(title: string, table: TableData): void {
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const url = URL.createObjectURL(new Blob([csvText(table)], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

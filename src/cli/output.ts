import type { Command } from "commander";

export type Row = Record<string, string | number | null>;

interface Output {
  out(text: string): void;
}

/** Rows as a table for people, or as JSON for machines: `[...]` for a list. */
export function printRows(command: Command, output: Output, rows: readonly Row[], nothing: string): void {
  if (wantsJson(command)) {
    output.out(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  output.out(rows.length === 0 ? `${nothing}\n` : table(rows));
}

/** One thing that was made or changed: a sentence for people, an object for machines. */
export function printOne(command: Command, output: Output, row: object, sentence: string): void {
  output.out(wantsJson(command) ? `${JSON.stringify(row, null, 2)}\n` : `${sentence}\n`);
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

export function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => String(row[column] ?? "-")));
  const widths = columns.map((column, i) => Math.max(column.length, ...cells.map((line) => line[i]?.length ?? 0)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[columns.map((column) => column.toUpperCase()), ...cells].map(line).join("\n")}\n`;
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

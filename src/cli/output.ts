import type { Command } from "commander";

export type Row = Record<string, string | number | null>;

interface Output {
  out(text: string): void;
}

/** Rows as a table for people, or as a JSON array for programs. */
export function printRows(command: Command, output: Output, rows: readonly Row[], nothing: string): void {
  if (wantsJson(command)) {
    output.out(`${toJson(rows)}\n`);
    return;
  }
  output.out(rows.length === 0 ? `${nothing}\n` : table(rows));
}

/** One created or changed object: a sentence for people, JSON for programs. */
export function printOne(command: Command, output: Output, row: object, sentence: string): void {
  output.out(wantsJson(command) ? `${toJson(row)}\n` : `${sentence}\n`);
}

/** A list of any length as one JSON array, written page by page. */
export async function printPages(output: Output, pages: AsyncIterable<readonly Row[]>): Promise<void> {
  let before = "[";
  for await (const rows of pages)
    for (const row of rows) {
      output.out(`${before}\n${toJson([row]).slice(2, -2)}`);
      before = ",";
    }
  output.out(before === "[" ? "[]\n" : "\n]\n");
}

/** JSON does not escape DEL and the C1 controls, and some terminals obey them. */
function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/\p{Cc}/gu, (char) => (char === "\n" ? char : `\\u${hex(char, 4)}`));
}

/** Text from strangers must not move the cursor, change colours or add lines in the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (char) => `\\x${hex(char, 2)}`);
}

function hex(char: string, width: number): string {
  return char.charCodeAt(0).toString(16).padStart(width, "0");
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

export function table(rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => printable(String(row[column] ?? "-"))));
  const widths = columns.map((column, i) =>
    Math.max(heading(column).length, ...cells.map((line) => line[i]?.length ?? 0)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => text.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[columns.map(heading), ...cells].map(line).join("\n")}\n`;
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** `createdAt` and `project_id` are the names of the JSON. */
function heading(column: string): string {
  return column.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toUpperCase();
}

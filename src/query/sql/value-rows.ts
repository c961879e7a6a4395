/**
 * Reads the answer to a statement in the format `values` (engines/user-sql/formats.ts), and leaves the values as the
 * texts that the engine wrote: as numbers of JavaScript, large integers would be others.
 */
import type { AnswerColumn } from "../../engines/user-sql/formats.ts";

export interface ValueRows {
  readonly columns: readonly AnswerColumn[];
  /** JSON arrays. */
  readonly rows: readonly string[];
  /** False: more was not read. */
  readonly isWhole: boolean;
}

/** Takes the stream, and stops to read it after the piece in which `isEnough`. */
export async function readValueRows(
  body: AsyncIterable<Buffer>,
  isEnough: (rows: number, chars: number) => boolean,
): Promise<ValueRows> {
  const rows: string[] = [];
  let columns: readonly AnswerColumn[] | undefined;
  let [rest, chars, hasEnd] = ["", 0, false];
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (columns === undefined) columns = JSON.parse(line) as AnswerColumn[];
      else if (line.startsWith("[")) {
        rows.push(line);
        chars += line.length;
      } else hasEnd = true;
    }
    if (!hasEnd && columns !== undefined && isEnough(rows.length, chars + rest.length))
      return { columns, rows, isWhole: false };
  }
  if (columns === undefined || !hasEnd) throw new Error("the answer has no end");
  return { columns, rows, isWhole: true };
}

/** `[1, "a,b", [2]]` -> `1`, `"a,b"`, `[2]`. */
export function splitValues(row: string): string[] {
  const values: string[] = [];
  let [start, depth, isText] = [1, 0, false];
  for (let at = 1; at < row.length - 1; at += 1) {
    const char = row[at];
    if (isText) {
      if (char === "\\") at += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    else if (char === "," && depth === 0) {
      values.push(row.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...values, row.slice(start, -1).trim()];
}

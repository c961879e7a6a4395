/** JSON lines. */
import { isUtf8 } from "node:buffer";
import { badRow, LONGEST_ROW_BYTES, parseRow, type ReadRow, type RowGroups } from "./read-row.ts";

const NEWLINE = 0x0a;

/** Rows up to `skip` are passed over without parsing them; they count. */
export async function* readLines(chunks: AsyncIterable<Buffer>, skip: number): RowGroups {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let isTooLong = false;
  let line = 0;
  let rows = 0;

  function readText(text: string): ReadRow | undefined {
    line += 1;
    if (isBlank(text)) return undefined;
    rows += 1;
    return rows <= skip ? { at: line, value: undefined } : parseRow(line, text);
  }

  function readBlock(block: Buffer): ReadRow[] {
    if (isTooLong) {
      isTooLong = false;
      const end = block.indexOf(NEWLINE);
      line += 1;
      rows += 1;
      const tooLong = badRow(line, `it is longer than ${LONGEST_ROW_BYTES / 1024 ** 2} MiB`, "");
      return [tooLong, ...(end === -1 ? [] : readBlock(block.subarray(end + 1)))];
    }
    if (block.length === 0) return [];
    if (isUtf8(block)) return present(block.toString().split("\n").map(readText));
    return present(splitLines(block).map((part) => (isUtf8(part) ? readText(part.toString()) : refuseBytes(part))));
  }

  function refuseBytes(part: Buffer): ReadRow {
    line += 1;
    rows += 1;
    return badRow(line, "it is not valid UTF-8", part.toString("latin1"));
  }

  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      restBytes += chunk.length;
      if (restBytes > LONGEST_ROW_BYTES) [isTooLong, rest] = [true, []];
      else rest.push(chunk);
      continue;
    }
    const block = isTooLong ? chunk.subarray(0, end) : Buffer.concat([...rest, chunk.subarray(0, end)]);
    const group = readBlock(block);
    rest = [chunk.subarray(end + 1)];
    restBytes = chunk.length - end - 1;
    if (group.length > 0) yield group;
  }
  const last = readBlock(Buffer.concat(rest));
  if (last.length > 0) yield last;
}

function present(rows: readonly (ReadRow | undefined)[]): ReadRow[] {
  return rows.filter((row) => row !== undefined);
}

function isBlank(text: string): boolean {
  return text === "" || text.trim() === "";
}

function splitLines(block: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, from)) {
    parts.push(block.subarray(from, at));
    from = at + 1;
  }
  parts.push(block.subarray(from));
  return parts;
}

/**
 * The elements of a JSON array of any size, one after the other, and of further arrays behind it, as `cat` joins the
 * pages of an export. `JSON.parse` would hold the whole file, and a text of more than 512 MB is none in V8. Only
 * brackets, strings and commas are looked at here; each element is parsed alone.
 * Written by hand: streaming parsers from npm make a token of every value, and this only has to find where elements end.
 */
import { isUtf8 } from "node:buffer";
import { ImportError } from "../import-error.ts";
import { badRow, LONGEST_ROW_BYTES, parseRow, type ReadRow, type RowGroups } from "./read-row.ts";

const [SPACE, QUOTE, BACKSLASH, COMMA] = [0x20, 0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [0x5b, 0x5d, 0x7b, 0x7d];

export async function* readArray(chunks: AsyncIterable<Buffer>, name: string, skip: number): RowGroups {
  let parts: Buffer[] = [];
  let bytes = 0;
  let depth = 0;
  let rows = 0;
  let isText = false;
  let isEscaped = false;

  function take(part: Buffer): void {
    bytes += part.length;
    // The beginning alone is kept of an element that is too long.
    if (bytes <= LONGEST_ROW_BYTES) parts.push(part);
  }

  function endElement(part: Buffer): ReadRow | undefined {
    take(part);
    const whole = Buffer.concat(parts);
    const size = bytes;
    [parts, bytes] = [[], 0];
    if (size > LONGEST_ROW_BYTES) {
      rows += 1;
      return badRow(rows, `it is longer than ${LONGEST_ROW_BYTES / 1024 ** 2} MiB`, "");
    }
    const text = whole.toString();
    if (text.trim() === "") return undefined;
    rows += 1;
    if (rows <= skip) return { at: rows, value: undefined };
    return isUtf8(whole) ? parseRow(rows, text) : badRow(rows, "it is not valid UTF-8", whole.toString("latin1"));
  }

  /** The elements that end in the chunk. */
  function readChunk(chunk: Buffer): ReadRow[] {
    const group: ReadRow[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (depth === 0) {
        if (byte === OPEN_LIST) [depth, from] = [1, at + 1];
        else if (byte > SPACE && byte !== COMMA)
          throw new ImportError(`${name}: text that is no list follows row ${rows}`);
      } else if (isEscaped) isEscaped = false;
      else if (isText) {
        if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OPEN || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE || byte === CLOSE_LIST || byte === COMMA) {
        if (depth === 1) {
          const row = endElement(chunk.subarray(from, at));
          if (row !== undefined) group.push(row);
          from = at + 1;
        }
        if (byte !== COMMA) depth -= 1;
      }
    }
    if (depth > 0) take(chunk.subarray(from));
    return group;
  }

  for await (const chunk of chunks) {
    const group = readChunk(chunk);
    if (group.length > 0) yield group;
  }
  if (depth > 0) yield [badRow(rows + 1, "the file ends within the JSON array", Buffer.concat(parts).toString())];
}

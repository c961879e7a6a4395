/** CSV with a header line. */
import { isUtf8 } from "node:buffer";
import type { CsvError, InfoRecord } from "csv-parse";
import { ImportError } from "../import-error.ts";
import type { NativeRow } from "../imported-event.ts";
import { badRow, LONGEST_ROW_BYTES, type ReadRow, type RowGroups } from "./read-row.ts";

export async function* readCsv(chunks: AsyncIterable<Buffer>, name: string, delimiter: string): RowGroups {
  const { Parser } = await import("csv-parse");
  const hasBadBytes = createByteCheck();
  let group: ReadRow[] = [];
  let names: readonly string[] | undefined;
  let line = 1;
  let isDoubtful = false;
  let wrong: ImportError | undefined;

  const parser = new Parser({
    bom: true,
    delimiter,
    // Rows of any length: ours says which line has too many.
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW_BYTES,
    skip_records_with_error: true,
    // A row that is returned as null is not given to a reader of the stream: there is none.
    on_record(record: string[], info: InfoRecord) {
      // The line at which the row begins: its texts may have lines of their own.
      const begin = line;
      line = info.lines + 1;
      if (wrong !== undefined) return null;
      if (names === undefined) {
        names = record.map((column) => column.trim());
        wrong = findWrongHeader(names, name);
      } else if (isDoubtful && record.some((text) => text.includes(REPLACED)))
        group.push(badRow(begin, "it is not valid UTF-8", record.join(",")));
      else group.push(toRow(record, names, begin));
      return null;
    },
    on_skip(error: CsvError | undefined) {
      group.push(badRow(line, `it is not CSV: ${error?.message ?? "it cannot be read"}`, ""));
      return undefined;
    },
  });
  const failed = new Promise<never>((_, reject) => parser.once("error", reject));
  failed.catch(() => undefined);
  parser.resume();
  for await (const chunk of chunks) {
    isDoubtful = hasBadBytes(chunk);
    await Promise.race([failed, write(chunk)]);
    if (wrong !== undefined) throw wrong;
    if (group.length > 0) yield group;
    group = [];
  }
  await Promise.race([failed, new Promise<void>((resolve) => parser.end(resolve))]);
  if (wrong !== undefined) throw wrong;
  if (group.length > 0) yield group;

  function write(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => parser.write(chunk, (error) => (error ? reject(error) : resolve())));
  }
}

/** What the parser makes of bytes that are no UTF-8. */
const REPLACED = "\uFFFD";

/** Whether the chunk or the one before has bytes that are no UTF-8: a row may lie in both. A character may, too. */
function createByteCheck(): (chunk: Buffer) => boolean {
  let cut: Buffer = Buffer.alloc(0);
  let wasBad = false;
  return (chunk) => {
    const bytes = Buffer.concat([cut, chunk]);
    const whole = bytes.length - cutBytes(bytes);
    const isBad = !isUtf8(bytes.subarray(0, whole));
    const isDoubtful = isBad || wasBad;
    [cut, wasBad] = [bytes.subarray(whole), isBad];
    return isDoubtful;
  };
}

/** How many of the last bytes begin a character that the next chunk ends. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

/** The widest tables of products have some hundreds; each column costs every row. */
const MOST_COLUMNS = 10_000;
/** Of a name in a message. */
const NAME_CHARS = 100;

/** Of two columns with one name the second would hide the first. */
function findWrongHeader(names: readonly string[], file: string): ImportError | undefined {
  if (names.length > MOST_COLUMNS)
    return new ImportError(`${file}, line 1: it has ${names.length} columns, and ${MOST_COLUMNS} are read at most`);
  const seen = new Set<string>();
  for (const column of names) {
    if (column !== "" && seen.has(column))
      return new ImportError(
        `${file}, line 1: two columns have the name ${column.slice(0, NAME_CHARS)}; rename one of them`,
      );
    seen.add(column);
  }
  return undefined;
}

function toRow(record: readonly string[], names: readonly string[], at: number): ReadRow {
  if (record.length !== names.length)
    return badRow(at, `it has ${record.length} columns, and the header has ${names.length}`, record.join(","));
  const value: Record<string, string> = {};
  for (let i = 0; i < names.length; i += 1) value[names[i] ?? ""] = record[i] ?? "";
  return { at, value: value satisfies NativeRow };
}

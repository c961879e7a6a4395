/** CSV with a header line. */
import type { CsvError, InfoRecord } from "csv-parse";
import type { NativeRow } from "../imported-event.ts";
import { badRow, LONGEST_ROW_BYTES, type ReadRow, type RowGroups } from "./read-row.ts";

export async function* readCsv(chunks: AsyncIterable<Buffer>, delimiter: string): RowGroups {
  const { Parser } = await import("csv-parse");
  let group: ReadRow[] = [];
  let names: readonly string[] | undefined;
  let line = 1;

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
      if (names === undefined) names = record.map((name) => name.trim());
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
    await Promise.race([failed, write(chunk)]);
    if (group.length > 0) yield group;
    group = [];
  }
  await Promise.race([failed, new Promise<void>((resolve) => parser.end(resolve))]);
  if (group.length > 0) yield group;

  function write(chunk: Buffer): Promise<void> {
    return new Promise((resolve, reject) => parser.write(chunk, (error) => (error ? reject(error) : resolve())));
  }
}

function toRow(record: readonly string[], names: readonly string[], at: number): ReadRow {
  if (record.length !== names.length)
    return badRow(at, `it has ${record.length} columns, and the header has ${names.length}`, record.join(","));
  const value: Record<string, string> = {};
  for (let i = 0; i < names.length; i += 1) value[names[i] ?? ""] = record[i] ?? "";
  return { at, value: value satisfies NativeRow };
}

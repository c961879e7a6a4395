/**
 * An answer to a statement as a Parquet file, in row groups, so that only one of them is in memory. DuckDB writes
 * Parquet to files only, and the engine may not write files: a writer in JavaScript takes the rows.
 */
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { parquetColumn } from "./parquet-columns.ts";
import { readSqlRows } from "./sql-rows.ts";

export const PARQUET_TYPE = "application/vnd.apache.parquet";

/**
 * A row group is encoded in one go, between other work of the process: 50,000 values took 100 ms on a
 * busy machine.
 */
const GROUP_VALUES = 50_000;
const GROUP_CHARS = 1024 * 1024;

/** Takes the stream, whose format is `rows`. */
export async function toParquet(body: Readable): Promise<Readable> {
  const { columns, rows } = await readSqlRows(body, { mayBeCut: true });
  const file = Readable.from(writeFile(columns.map(parquetColumn), rows), { objectMode: false });
  // Also where nobody began to read the file.
  file.once("close", () => body.destroy());
  return file;
}

async function* writeFile(
  columns: readonly ReturnType<typeof parquetColumn>[],
  rows: AsyncIterable<readonly (readonly unknown[])[]>,
): AsyncGenerator<Buffer> {
  // Most installations never write one.
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const bytes = new ByteWriter();
  const root = { name: "root", num_children: columns.length };
  const file = new ParquetWriter({ writer: bytes, schema: [root, ...columns.flatMap(({ schema }) => schema)] });
  const takeBytes = () => {
    const taken = Buffer.from(bytes.getBytes());
    bytes.index = 0;
    return taken;
  };
  let group: unknown[][] = columns.map(() => []);
  let chars = 0;
  const writeGroup = async () => {
    await file.write({
      columnData: columns.map(({ name }, at) => ({ name, data: group[at] ?? [] })),
      rowGroupSize: GROUP_VALUES,
    });
    group = columns.map(() => []);
    chars = 0;
    return takeBytes();
  };
  for await (const batch of rows)
    for (const row of batch) {
      for (const [at, { convert }] of columns.entries()) {
        const value = row[at];
        group[at]?.push(value === null ? null : convert(value));
        if (typeof value === "string") chars += value.length;
      }
      const values = columns.length * (group[0]?.length ?? 0);
      if (values < GROUP_VALUES && chars < GROUP_CHARS) continue;
      yield await writeGroup();
      await setImmediate();
    }
  if (group[0]?.length) yield await writeGroup();
  await file.finish();
  yield takeBytes();
}

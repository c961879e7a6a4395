/**
 * An answer to a statement as a Parquet file, in row groups, so that only one of them is in memory. DuckDB writes
 * Parquet to files only, and the engine may not write files: a writer in JavaScript takes the rows.
 */
import { parquetColumn } from "./parquet-columns.ts";
import { readSqlRows } from "./rows.ts";

export const PARQUET_MODULE = new URL(import.meta.url);
export const PARQUET_TYPE = "application/vnd.apache.parquet";

/** A row group is in memory at once, and is encoded in one go while other answers wait. */
const GROUP_VALUES = 50_000;
const GROUP_CHARS = 1024 * 1024;

/** The file of an answer in the format `rows`. It runs in the thread for large answers. */
export async function* encode(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const { columns, rows } = await readSqlRows(body, { mayBeCut: true });
  yield* writeFile(columns.map(parquetColumn), rows);
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
    }
  if (group[0]?.length) yield await writeGroup();
  await file.finish();
  yield takeBytes();
}

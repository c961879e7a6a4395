import type { DuckDBConnection, DuckDBResultReader } from "@duckdb/node-api";
import { EngineBusy } from "../failures.ts";
import type { Selected } from "../select.ts";
import { readRows } from "./rows.ts";

/** Throws once nobody waits for the answer any more: an interrupt ends a statement, and nothing between two of them. */
export type GoOn = () => void;

/**
 * Runs one read, and interrupts it after `timeoutMs` or when the caller aborts. A read of several statements calls `goOn`
 * before each, which throws after that: an interrupt between two of them is heard by none.
 */
export async function selectWithin<T>(
  connection: DuckDBConnection,
  read: (connection: DuckDBConnection, goOn: GoOn) => Promise<DuckDBResultReader>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Selected<T>> {
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    connection.interrupt();
  };
  const goOn = () => {
    if (isStopped) throw new Error("the query was stopped between two statements");
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  const startedAt = performance.now();
  try {
    signal?.throwIfAborted();
    const reader = await read(connection, goOn);
    const elapsed = (performance.now() - startedAt) / 1000;
    return { rows: readRows(reader) as T[], statistics: { elapsed, rows_read: 0, bytes_read: 0 } };
  } catch (cause) {
    if (isLate) throw new EngineBusy(`the query took longer than ${timeoutMs / 1000} s`, { cause });
    throw cause;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

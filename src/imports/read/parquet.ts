/**
 * Parquet, read by DuckDB: all its codecs, nested columns, and some thousand rows at a time. A reader in JavaScript
 * holds whole row groups, which some products make of a million rows. DuckDB is C++ that decodes what somebody has sent:
 * a file that stops it, or takes all memory, stops the process that reads it, and nobody else.
 */
import { stat } from "node:fs/promises";
import { readFromProcess } from "./from-process.ts";
import { readLines } from "./lines.ts";
import type { ReadRow, RowGroups } from "./read-row.ts";

const PROGRAM = new URL("./parquet-process.ts", import.meta.url);
/** Two thousand rows take some milliseconds; the rest is for a machine with much other work. */
const STILL_MS = 60_000;
/** Of a slow disk, for rows that are passed over. */
const BYTES_PER_MS = 10_000;
const AT_ONCE = 10_000;

export async function* readParquet(path: string, skip: number, signal?: AbortSignal): RowGroups {
  const { size } = await stat(path);
  const firstMs = STILL_MS + (skip === 0 ? 0 : size / BYTES_PER_MS);
  const lines = readFromProcess(PROGRAM, [path, String(skip)], { signal, stillMs: STILL_MS, firstMs });
  if (skip > 0) yield* skipped(skip);
  for await (const rows of readLines(lines, 0))
    yield skip === 0 ? rows : rows.map((row) => ({ ...row, at: row.at + skip }));
}

/** The rows before: DuckDB passes over them, and they count. */
function* skipped(skip: number): Generator<ReadRow[], void, void> {
  for (let from = 0; from < skip; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, skip - from) }, (_, n) => ({ at: from + n + 1, value: undefined }));
}

/**
 * Parquet, read by DuckDB: all its codecs, nested columns, and some thousand rows at a time. A reader in JavaScript
 * holds whole row groups, which some products make of a million rows. DuckDB is C++ that decodes what somebody has sent:
 * a file that stops it, or takes all memory, stops the process that reads it, and nobody else.
 */
import { stat } from "node:fs/promises";
import { readFromProcess } from "./from-process.ts";
import { readLines } from "./lines.ts";
import type { ReadRow } from "./read-row.ts";

const PROGRAM = new URL("./parquet-process.ts", import.meta.url);
/** Two thousand rows take some milliseconds; the rest is for a machine with much other work. */
const STILL_MS = 60_000;
/** Of a slow disk, for rows that are passed over. */
const BYTES_PER_MS = 10_000;
const AT_ONCE = 10_000;

export interface ParquetRows {
  readonly rows: readonly ReadRow[];
  /** Of all rows of the file, up to the last of these: from 0 to 1. */
  readonly share: number;
}

export async function* readParquet(
  path: string,
  skip: number,
  signal?: AbortSignal,
): AsyncGenerator<ParquetRows, void, void> {
  const { size } = await stat(path);
  const firstMs = STILL_MS + (skip === 0 ? 0 : size / BYTES_PER_MS);
  const lines = readFromProcess(PROGRAM, [path, String(skip)], { signal, stillMs: STILL_MS, firstMs });
  if (skip > 0) for (const rows of skipped(skip)) yield { rows, share: 0 };
  let all: number | undefined;
  for await (const group of readLines(lines, 0)) {
    // The first line is none of the file.
    const rows = (all === undefined ? group.slice(1) : group).map((row) => ({ ...row, at: row.at - 1 + skip }));
    all ??= Number(group[0]?.value?.rows);
    const last = rows.at(-1);
    if (last !== undefined) yield { rows, share: Math.min(1, last.at / all) };
  }
}

/** The rows before: DuckDB passes over them, and they count. */
function* skipped(skip: number): Generator<ReadRow[], void, void> {
  for (let from = 0; from < skip; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, skip - from) }, (_, n) => ({ at: from + n + 1, value: undefined }));
}

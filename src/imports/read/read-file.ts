/** A file of any supported format and compression, as groups of rows. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { ImportError } from "../import-error.ts";
import { readArray } from "./array.ts";
import { readCsv } from "./csv.ts";
import { isZip, readHead } from "./head.ts";
import { readLines } from "./lines.ts";
import { readParquet } from "./parquet.ts";
import type { ReadRow, RowGroups } from "./read-row.ts";
import { begins, unpack } from "./unpack.ts";
import { readZip } from "./zip.ts";

export interface FileRows {
  /** The file inside of a zip. */
  readonly entry?: string;
  readonly unit: "line" | "row";
  readonly rows: readonly ReadRow[];
  /** Of the file, as far as it was read. */
  readonly bytes: number;
}

const CHUNK_BYTES = 256 * 1024;
const PARQUET = [0x50, 0x41, 0x52, 0x31];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * The first `skip` rows are counted and may come without a value. The signal ends the reading of the file, also where a
 * row without an end would be unpacked for hours.
 */
export async function* readFileRows(
  path: string,
  skip: number,
  signal?: AbortSignal,
): AsyncGenerator<FileRows, void, void> {
  const head = await readHead(path);
  if (begins(head, PARQUET)) yield* readParquetFile(path, skip, signal);
  else if (isZip(head)) yield* readZipFile(path, skip, signal);
  else {
    let bytes = 0;
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal && { signal }) })) {
        bytes += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    }
    const { unit, groups } = await openText(counted(), basename(path), skip);
    for await (const rows of groups) yield { unit, rows, bytes };
  }
}

async function* readParquetFile(
  path: string,
  skip: number,
  signal?: AbortSignal,
): AsyncGenerator<FileRows, void, void> {
  const { size } = await stat(path);
  // DuckDB would read such a name as a pattern for several files.
  if (/[*?[\]]/.test(path)) throw new ImportError(`rename ${path}: the name of a Parquet file has none of * ? [ ]`);
  try {
    for await (const { rows, share } of readParquet(path, skip, signal))
      yield { unit: "row", rows, bytes: Math.floor(size * share) };
  } catch (cause) {
    signal?.throwIfAborted();
    // DuckDB adds the statement, and says where the file lies.
    const [why = ""] = (cause as Error).message.replaceAll(path, basename(path)).split("\n", 1);
    throw new ImportError(`${basename(path)} cannot be read as Parquet: ${why}`, { cause });
  }
}

async function* readZipFile(path: string, skip: number, signal?: AbortSignal): AsyncGenerator<FileRows, void, void> {
  let before = 0;
  for await (const { name, chunks, bytes } of readZip(path, signal)) {
    const { unit, groups } = await openText(chunks, name, Math.max(0, skip - before));
    for await (const rows of groups) {
      before += rows.length;
      yield { entry: name, unit, rows, bytes: bytes() };
    }
  }
}

/** The format of a text follows from its first character; a CSV file may also say so by its name. */
async function openText(
  source: AsyncIterable<Buffer>,
  name: string,
  skip: number,
): Promise<{ unit: FileRows["unit"]; groups: RowGroups }> {
  const { head, chunks } = await unpack(source, name);
  if (begins(head, PARQUET)) throw new ImportError(`${name}: a packed Parquet file; unpack it first`);
  if (isZip(head)) throw new ImportError(`${name}: a zip inside of another file; unpack it first`);
  if (head.includes(0))
    throw new ImportError(`${name} is no text: CSV, JSON lines, a JSON array or Parquet was expected`);
  const text = head.subarray(begins(head, BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0).toString();
  const first = text.trimStart()[0];
  const isTable = /\.(?:csv|tsv)\b/i.test(name) || (first !== "{" && first !== "[");
  if (isTable) return { unit: "line", groups: readCsv(chunks, name, delimiterOf(text)) };
  const bare = withoutMark(chunks);
  return first === "["
    ? { unit: "row", groups: readArray(bare, name, skip) }
    : { unit: "line", groups: readLines(bare, skip) };
}

/** Of the header: the character among the usual ones that it has most. */
function delimiterOf(text: string): string {
  const [header = ""] = text.split("\n", 1);
  const counts = [",", ";", "\t", "|"].map((char) => ({ char, count: header.split(char).length }));
  return counts.reduce((one, other) => (other.count > one.count ? other : one)).char;
}

async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst && begins(chunk, BYTE_ORDER_MARK) ? chunk.subarray(BYTE_ORDER_MARK.length) : chunk;
    isFirst = false;
  }
}

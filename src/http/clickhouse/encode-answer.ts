/** An answer in one of ClickHouse's formats. It runs in the thread for large answers, so its options are plain data. */
import { readSqlRows, type SqlRows } from "../../query/sql/rows.ts";
import type { AnswerRow, FormatOptions, Totals } from "./formats/format.ts";
import { findFormat } from "./formats/index.ts";
import { toLz4Block } from "./lz4-blocks.ts";
import { toAnswerColumn } from "./types.ts";

export interface EncodeOptions extends FormatOptions {
  readonly formatName: string;
  /** Whether each piece is a block of ClickHouse's own framing. */
  readonly isLz4: boolean;
  readonly mostRows: number | undefined;
}

/** The pieces of the answer whose bytes come from the engine; at last how many rows it had. */
export async function* encode(
  body: AsyncIterable<Buffer>,
  options: EncodeOptions,
): AsyncGenerator<Buffer, Totals, void> {
  return yield* encodeRows(await readSqlRows(body), options);
}

export async function* encodeRows(answer: SqlRows, options: EncodeOptions): AsyncGenerator<Buffer, Totals, void> {
  const startedAt = performance.now();
  const format = findFormat(options.formatName);
  if (format === undefined) throw new Error(`there is no format ${options.formatName}`);
  const encoder = format.encoder(answer.columns.map(toAnswerColumn), options);
  const pack = (piece: Buffer) => (options.isLz4 && piece.length > 0 ? toLz4Block(piece) : piece);
  let rows = 0;
  let head = Buffer.from(encoder.begin());
  for await (const batch of firstRows(answer.rows as AsyncIterable<readonly AnswerRow[]>, options.mostRows)) {
    rows += batch.length;
    yield pack(Buffer.concat([head, Buffer.from(encoder.rows(batch))]));
    head = Buffer.alloc(0);
  }
  const totals = { rows, seconds: (performance.now() - startedAt) / 1000 };
  yield pack(Buffer.concat([head, Buffer.from(encoder.end(totals))]));
  return totals;
}

async function* firstRows(rows: AsyncIterable<readonly AnswerRow[]>, most: number | undefined) {
  let left = most ?? Number.POSITIVE_INFINITY;
  for await (const batch of rows) {
    yield batch.length <= left ? batch : batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}

/** Sends an answer in a format: as a whole if it is small, as a stream otherwise. */
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { SqlRows } from "../../query/sql-rows.ts";
import type { AnswerRow, Encoder, Format, FormatOptions } from "./formats/format.ts";
import { toLz4Block } from "./lz4-blocks.ts";
import { toAnswerColumn } from "./types.ts";

export interface SendOptions extends FormatOptions {
  readonly format: Format;
  readonly packing: "none" | "gzip" | "lz4";
  readonly mostRows: number | undefined;
}

/** Up to this size an answer is complete before it is sent: failures get a status, and the summary has its numbers. */
const WHOLE_BYTES = 256 * 1024;
const compress = promisify(gzip);

export async function sendSqlAnswer(reply: FastifyReply, answer: SqlRows, options: SendOptions): Promise<FastifyReply> {
  const startedAt = performance.now();
  const columns = answer.columns.map(toAnswerColumn);
  const encoder = options.format.encoder(columns, options);
  const totals = { rows: 0, seconds: 0 };
  const pieces = encode(
    encoder,
    firstRows(answer.rows as AsyncIterable<readonly AnswerRow[]>, options.mostRows),
    totals,
    startedAt,
  );
  const kept: Buffer[] = [];
  let [bytes, complete] = [0, false];
  while (!complete && bytes < WHOLE_BYTES) {
    const next = await pieces.next();
    if (next.done) complete = true;
    else {
      kept.push(next.value);
      bytes += next.value.length;
    }
  }
  reply
    .code(200)
    .type(options.format.contentType)
    .headers({
      "X-ClickHouse-Format": options.format.name,
      "X-ClickHouse-Summary": JSON.stringify(
        summary(complete ? totals : { rows: 0, seconds: 0 }, complete ? bytes : 0),
      ),
    });
  if (options.packing === "gzip") reply.header("Content-Encoding", "gzip");
  if (complete) return reply.send(await pack(Buffer.concat(kept), options.packing));
  return reply.send(packStream(resume(kept, pieces), options.packing));
}

async function* firstRows(rows: AsyncIterable<readonly AnswerRow[]>, most: number | undefined) {
  let left = most ?? Number.POSITIVE_INFINITY;
  for await (const batch of rows) {
    yield batch.length <= left ? batch : batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}

async function* encode(
  encoder: Encoder,
  rows: AsyncIterable<readonly AnswerRow[]>,
  totals: { rows: number; seconds: number },
  startedAt: number,
): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(encoder.begin());
  for await (const batch of rows) {
    totals.rows += batch.length;
    yield Buffer.from(encoder.rows(batch));
  }
  totals.seconds = (performance.now() - startedAt) / 1000;
  yield Buffer.from(encoder.end(totals));
}

async function* resume(kept: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  yield* kept;
  yield* rest;
}

async function pack(body: Buffer, packing: SendOptions["packing"]): Promise<Buffer> {
  if (packing === "gzip") return compress(body);
  return packing === "lz4" && body.length > 0 ? toLz4Block(body) : body;
}

function packStream(pieces: AsyncIterable<Buffer>, packing: SendOptions["packing"]): Readable {
  if (packing === "gzip") {
    const source = Readable.from(pieces);
    const packed = createGzip();
    // A failed source must cut the answer, which is then visibly incomplete.
    source.on("error", (cause) => packed.destroy(cause));
    packed.on("close", () => source.destroy());
    return source.pipe(packed);
  }
  return Readable.from(packing === "lz4" ? toLz4Blocks(pieces) : pieces, { objectMode: false });
}

async function* toLz4Blocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  for await (const piece of pieces) if (piece.length > 0) yield toLz4Block(piece);
}

function summary({ rows, seconds }: { rows: number; seconds: number }, bytes: number): Record<string, string> {
  return {
    read_rows: "0",
    read_bytes: "0",
    written_rows: "0",
    written_bytes: "0",
    total_rows_to_read: "0",
    result_rows: String(rows),
    result_bytes: String(bytes),
    elapsed_ns: String(Math.round(seconds * 1e9)),
  };
}

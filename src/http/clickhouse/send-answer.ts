/** Sends an answer in a format: as a whole if it is small, as a stream otherwise. */
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { EncodeOptions } from "./encode-answer.ts";
import type { Format, FormatOptions, Totals } from "./formats/format.ts";

export interface SendOptions extends FormatOptions {
  readonly format: Format;
  readonly packing: "none" | "gzip" | "lz4";
  readonly mostRows: number | undefined;
}

/** Up to this size an answer is complete before it is sent: failures get a status, and the summary has its numbers. */
const WHOLE_BYTES = 256 * 1024;
const compress = promisify(gzip);

export function toEncodeOptions({ format, packing, ...options }: SendOptions): EncodeOptions {
  return { ...options, formatName: format.name, isLz4: packing === "lz4" };
}

/** The pieces are encoded with the same options. */
export async function sendSqlAnswer(
  reply: FastifyReply,
  pieces: AsyncGenerator<Buffer, Totals, void>,
  { format, packing }: SendOptions,
): Promise<FastifyReply> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let totals: Totals | undefined;
  while (totals === undefined && bytes < WHOLE_BYTES) {
    const next = await pieces.next();
    if (next.done) totals = next.value;
    else {
      kept.push(next.value);
      bytes += next.value.length;
    }
  }
  reply
    .code(200)
    .type(format.contentType)
    .headers({
      "X-ClickHouse-Format": format.name,
      "X-ClickHouse-Summary": JSON.stringify(
        totals === undefined ? summary({ rows: 0, seconds: 0 }, 0) : summary(totals, bytes),
      ),
    });
  const isGzip = packing === "gzip";
  if (isGzip) reply.header("Content-Encoding", "gzip");
  if (totals === undefined) return reply.send(toStream(resume(kept, pieces), isGzip));
  const whole = Buffer.concat(kept);
  return reply.send(isGzip ? await compress(whole) : whole);
}

async function* resume(kept: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  yield* kept;
  yield* rest;
}

function toStream(pieces: AsyncIterable<Buffer>, isGzip: boolean): Readable {
  const source = Readable.from(pieces, { objectMode: false });
  if (!isGzip) return source;
  const packed = createGzip();
  // A failed source must cut the answer, which is then visibly incomplete.
  source.on("error", (cause) => packed.destroy(cause));
  packed.on("close", () => source.destroy());
  return source.pipe(packed);
}

function summary({ rows, seconds }: Totals, bytes: number): Record<string, string> {
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

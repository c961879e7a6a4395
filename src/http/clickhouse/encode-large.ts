import type { Readable } from "node:stream";
import { type AnswerThread, encodeThere } from "../../query/sql/answer-thread.ts";
import { type EncodeOptions, encode } from "./encode-answer.ts";
import type { Totals } from "./formats/format.ts";

/** Parsing and encoding it takes up to 5 ms here, less than a thread that has to start. Larger ones go to the thread. */
const HERE_BYTES = 64 * 1024;
const MODULE = new URL("./encode-answer.ts", import.meta.url);

/** Takes the stream, whose format is `rows`. */
export async function* encodeAnswer(
  thread: AnswerThread,
  body: Readable,
  options: EncodeOptions,
): AsyncGenerator<Buffer, Totals, void> {
  const source = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let [bytes, isWhole] = [0, false];
  try {
    while (!isWhole && bytes <= HERE_BYTES) {
      const next = await source.next();
      if (next.done) isWhole = true;
      else {
        first.push(next.value);
        bytes += next.value.length;
      }
    }
    const all = resume(first, source);
    return yield* isWhole ? encode(all, options) : encodeThere<Totals>(thread, MODULE, all, options);
  } finally {
    await source.return?.();
  }
}

async function* resume(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, void> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import { failureFromText, toFailure } from "./analytics-errors.ts";

export interface RawAnswer {
  /** Fails with an EngineFailure; destroy it to stop the query. */
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What the client gives for a statement run as it is. */
interface ExecAnswer {
  readonly stream: Readable;
  readonly response_headers: RawAnswer["headers"];
}

/** The same bytes, but a failure in the middle is an EngineFailure, an in-band exception included. */
export function passThrough(answer: ExecAnswer, signal: AbortSignal | undefined): RawAnswer {
  const body = new PassThrough();
  const source = answer.stream;
  const stop = (): void => void source.destroy(new Error("the reader went away"));
  const tag = answer.response_headers["x-clickhouse-exception-tag"];
  source.on("error", (cause) => body.destroy(signal?.aborted ? signal.reason : toFailure(cause)));
  source.on("close", () => {
    if (!source.readableEnded) body.destroy(toFailure(new Error("aborted")));
  });
  body.on("close", () => {
    signal?.removeEventListener("abort", stop);
    if (!source.readableEnded) stop();
  });
  signal?.addEventListener("abort", stop, { once: true });
  if (typeof tag === "string") watchForException(source, body, tag);
  source.pipe(body);
  return { body, headers: answer.response_headers };
}

/** A streamed answer that fails ends with a tagged message in a chunk of its own (ClickHouse 25.11 and later). */
function watchForException(source: Readable, body: PassThrough, tag: string): void {
  const marker = Buffer.from(`__exception__\r\n${tag}\r\n`);
  source.on("data", (chunk: Buffer) => {
    const at = chunk.indexOf(marker);
    if (at < 0) return;
    body.destroy(failureFromText(chunk.toString("utf8", at + marker.length)));
  });
}

/** Whole lines, as many as each chunk completes: one step of an async generator per line took 12 us of 13. */
export async function* readLines(body: Readable): AsyncGenerator<string[], void, void> {
  let rest: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(0x0a);
    rest.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (end < 0) continue;
    yield Buffer.concat(rest).toString().split("\n");
    rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString().split("\n");
}

export async function drain(stream: Readable): Promise<void> {
  stream.resume();
  if (!stream.readableEnded && !stream.destroyed) await once(stream, "end");
}

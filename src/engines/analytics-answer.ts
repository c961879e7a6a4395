import { Readable } from "node:stream";
import { parseError } from "@clickhouse/client";
import type { Dispatcher } from "undici";
import { failureFromText, toFailure } from "./analytics-errors.ts";
import type { RawAnswer } from "./analytics-stream.ts";

/** What ClickHouse says about a failure is a line; what something else answers in its place may be a page. */
const MAX_FAILURE_CHARS = 64 * 1024;

/**
 * An answer from its first byte on, as one stream between the socket and the reader. Failures before the status stands reject `begun`; later
 * ones, an exception in the middle of the rows included, are an EngineFailure of the stream. Destroying it ends the query.
 */
export class IncomingAnswer extends Readable {
  readonly begun: Promise<RawAnswer>;
  readonly handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => this.#started(controller),
    onResponseStart: (_, status, headers) => this.#begin(status, headers),
    onResponseData: (_, chunk) => this.#take(chunk),
    onResponseEnd: () => this.#end(),
    onResponseError: (_, cause) => this.#fail(cause),
  };
  readonly #signal: AbortSignal | undefined;
  readonly #abort = () => this.#fail(this.#signal?.reason);
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (cause: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #hasBegun = false;
  #isComplete = false;
  #refusal: string | undefined;
  #marker: Buffer | undefined;

  constructor(signal: AbortSignal | undefined) {
    super();
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    this.begun = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
    // A failure may come with the first bytes, before whoever asked has the stream: they hear of it when they read.
    this.on("error", () => undefined);
  }

  takeWhole(): Buffer | undefined {
    if (!this.#isComplete || this.destroyed || this.readableDidRead) return undefined;
    return (this.read() as Buffer | null) ?? Buffer.alloc(0);
  }

  override _read(): void {
    this.#controller?.resume();
  }

  override _destroy(cause: Error | null, done: (cause?: Error | null) => void): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    if (!this.#isComplete) this.#controller?.abort(cause ?? new Error("the reader went away"));
    done(cause);
  }

  #started(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.destroyed) controller.abort(new Error("the reader went away"));
  }

  #begin(status: number, headers: RawAnswer["headers"]): void {
    if (status < 200 || status > 299 || headers["x-clickhouse-exception-code"] !== undefined) {
      this.#refusal = "";
      return;
    }
    const tag = headers["x-clickhouse-exception-tag"];
    if (typeof tag === "string") this.#marker = Buffer.from(`__exception__\r\n${tag}\r\n`);
    this.#hasBegun = true;
    this.#resolve({ body: this, headers });
  }

  #take(chunk: Buffer): void {
    if (this.#refusal !== undefined) {
      if (this.#refusal.length < MAX_FAILURE_CHARS) this.#refusal += chunk.toString();
      return;
    }
    // A streamed answer that fails ends with a tagged message in a chunk of its own (ClickHouse 25.11 and later).
    const at = this.#marker === undefined ? -1 : chunk.indexOf(this.#marker);
    if (at >= 0) this.destroy(failureFromText(chunk.toString("utf8", at + (this.#marker?.length ?? 0))));
    else if (!this.push(chunk)) this.#controller?.pause();
  }

  #end(): void {
    this.#isComplete = true;
    if (this.#refusal === undefined) this.push(null);
    else this.#fail(parseError(this.#refusal));
  }

  #fail(cause: unknown): void {
    if (this.#hasBegun) {
      this.destroy(this.#signal?.aborted ? this.#signal.reason : toFailure(cause));
      return;
    }
    this.#reject(cause);
    this.destroy();
  }
}

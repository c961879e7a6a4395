/**
 * The protocol between the engine's process and its clients: one request per call, or one frame (frames.ts), JSON in
 * both directions. A batch is binary, after a short JSON head.
 */
import type { EncodedBatch, LedgerEntry, LogPosition } from "../../batch.ts";
import type { Progress } from "../../maintenance.ts";

/** Of one call or answer. A batch has 26 MiB of log, and its rows are slightly larger; a page of a backup has 64 MiB. */
export const MOST_BYTES = 256 * 1024 * 1024;

export interface ClientOptions {
  /** Called before each request: a restarted engine may have another address. */
  url(): string;
  readonly token: string;
}

/**
 * The last line of an answer is the result; the lines before it report progress. After the result `"stream"` come the
 * bytes of a user's answer.
 */
export type Line =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly result?: unknown }
  | { readonly failure: { readonly kind: FailureKind; readonly message: string } };

/** `restarting`: the process ends for a statement of somebody else, and the next one can answer the same call. */
export type FailureKind = "busy" | "refused" | "statement" | "moved" | "restarting" | "bug";

/** A call of a method of the port. Closing the connection is its signal, lines of the answer are its progress. */
interface Call {
  /** The node whose batches it is about. */
  readonly nodeId: string;
  readonly args: readonly unknown[];
  /** The places of the signal and of the callback among the arguments; -1: it has none. */
  readonly signalAt: number;
  readonly progressAt: number;
}

export function encodeCall(nodeId: string, args: readonly unknown[]) {
  // JSON has no undefined: an argument that is left out stays out.
  const given = args.slice(0, args.findLastIndex((each) => each !== undefined) + 1);
  const signalAt = given.findIndex((each) => each instanceof AbortSignal);
  const progressAt = given.findIndex((each) => typeof each === "function");
  return {
    body: JSON.stringify({ nodeId, args: given, signalAt, progressAt } satisfies Call, writeBigint),
    signal: given[signalAt] as AbortSignal | undefined,
    onProgress: given[progressAt] as Progress | undefined,
  };
}

export function decodeCall(body: Buffer, signal: AbortSignal, onProgress: Progress) {
  const { nodeId, args, signalAt, progressAt } = JSON.parse(body.toString("utf8")) as Call;
  const complete = args.map((each, at) => {
    if (at === signalAt) return signal;
    return at === progressAt ? onProgress : each;
  });
  return { nodeId, args: complete };
}

/** Numbers are bound as texts anyway: see statement.ts. */
function writeBigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

export interface BatchHead {
  readonly nodeId: string;
  readonly from: LogPosition;
  readonly to: LogPosition;
  readonly ledger: readonly LedgerEntry[];
  /** The length of each block. */
  readonly eventsBytes: readonly number[];
  readonly eventCount: number;
}

/** Layout: length of the head, head, events, parked rows. */
export function encodeBatch(
  batch: EncodedBatch,
  source: { nodeId: string; from: LogPosition; to: LogPosition },
): Buffer[] {
  const { events, parked, ledger, eventCount } = batch;
  const head: BatchHead = { ...source, ledger, eventsBytes: events.map(({ length }) => length), eventCount };
  const json = JSON.stringify(head);
  // Words of the events are aligned, so that they need not be copied.
  const text = Buffer.from(json + " ".repeat(3 - ((Buffer.byteLength(json) + 3) % 4)));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return [length, text, ...events.map(bytesOf), bytesOf(parked)];
}

export function decodeBatch(body: Buffer): { head: BatchHead; batch: EncodedBatch } {
  const headEnd = 4 + body.readUInt32LE(0);
  const head = JSON.parse(body.toString("utf8", 4, headEnd)) as BatchHead;
  let at = headEnd;
  const events = head.eventsBytes.map((bytes) => {
    at += bytes;
    return body.subarray(at - bytes, at);
  });
  return {
    head,
    batch: {
      form: "columns",
      events,
      starts: new Uint32Array(),
      eventCount: head.eventCount,
      parked: body.subarray(at),
      ledger: head.ledger,
      partitions: [],
      firstReceivedAtMs: 0,
    },
  };
}

function bytesOf(view: Uint8Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

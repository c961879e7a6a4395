/**
 * The protocol between the engine's process and its clients: one request per method, JSON in both directions. A batch
 * is binary, after a short JSON head.
 */
import type { EncodedBatch, LedgerEntry, LogPosition } from "../port.ts";

export type Method =
  | "select"
  | "query"
  | "position"
  | "flush"
  | "moveTo"
  | "replay"
  | "importRows"
  | "migrate"
  | "version"
  | "rebuildOutdated"
  | "listDirty"
  | "materialize"
  | "removeBefore"
  | "removeParkedBefore"
  | "rebuild";

/**
 * The last line of an answer is the result; the lines before it report progress. After the result `"stream"` come the
 * bytes of a user's answer.
 */
export type Line =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly result: unknown }
  | { readonly failure: { readonly kind: FailureKind; readonly message: string } };

/** `restarting`: the process ends for a statement of somebody else, and the next one can answer the same call. */
export type FailureKind = "busy" | "refused" | "statement" | "moved" | "restarting" | "bug";

export interface BatchHead {
  readonly nodeId: string;
  readonly from: LogPosition;
  readonly to: LogPosition;
  readonly ledger: readonly LedgerEntry[];
  readonly eventsBytes: number;
  readonly eventCount: number;
}

/** Layout: length of the head, head, offsets of the rows, rows, parked rows. */
export function encodeBatch(
  batch: EncodedBatch,
  source: { nodeId: string; from: LogPosition; to: LogPosition },
): Buffer[] {
  const { events, starts, parked, ledger, eventCount } = batch;
  const head: BatchHead = { ...source, ledger, eventsBytes: events.length, eventCount };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return [length, text, bytesOf(starts), bytesOf(events), bytesOf(parked)];
}

export function decodeBatch(body: Buffer): { head: BatchHead; batch: EncodedBatch } {
  const headEnd = 4 + body.readUInt32LE(0);
  const head = JSON.parse(body.toString("utf8", 4, headEnd)) as BatchHead;
  const startsEnd = headEnd + head.eventCount * 4;
  const eventsEnd = startsEnd + head.eventsBytes;
  // A copy, because a Uint32Array must be aligned to 4 bytes.
  const starts = new Uint32Array(new Uint8Array(body.subarray(headEnd, startsEnd)).buffer);
  return {
    head,
    batch: {
      events: body.subarray(startsEnd, eventsEnd),
      starts,
      eventCount: head.eventCount,
      parked: body.subarray(eventsEnd),
      ledger: head.ledger,
      partitions: [],
      firstReceivedAtMs: 0,
    },
  };
}

function bytesOf(view: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * Reads the log ahead and has a thread transform it, in pieces. A batch consists of the pieces that are there when the
 * engine is free for it. Batches that were read whole, each while the one before it was stored, left the engine waiting
 * for a third of its time: while it stored one of 26,200 events, the log had only a part of the next.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../ingest/log.ts";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { LogRecord, ReadLimits } from "../ingest/log-read.ts";
import { sizeOf } from "../ingest/logged-request.ts";
import { joinBatches } from "./join-batches.ts";
import type { Batch } from "./transform.ts";
import type { TransformThread } from "./transform-thread.ts";

/**
 * 26 MiB of log are about 28,000 events of 1 KB, a second of work. Merging them into sessions took 8 us per event; in
 * batches of a third of that size it took 20 us. Where nearly every event has its own session, they bring more sessions
 * than a row group has rows, which is then written once: 24 MiB brought 24,558, for 24,576 rows, and an event took 58.6 us
 * to store instead of 50.2. Two batches of 30,000 would be more than the load test has under way.
 */
const BATCH = { maxBytes: 26 * 1024 * 1024, maxRecords: 20_000 } as const;
/** A quarter of a batch: the transform takes 0.1 to 0.2 s for it. */
const PIECE = { maxBytes: BATCH.maxBytes / 4, maxRecords: BATCH.maxRecords / 4 } as const;
/** Pieces whose log is in memory: one is read while another is transformed. */
const MOST_UNTRANSFORMED = 2;
/**
 * An engine that is free waits so long after the last batch, so that the next one may grow. At half load an event was
 * stored 2.0 s after it was sent, p99, with 400 ms, and 1.5 s with 200, for as much processor time.
 */
const GROW_MS = 200;
/** The last piece of a batch is read so much earlier: it must be transformed. */
const LEAD_MS = 100;
const GROW_STEP_MS = 25;

export interface NextBatch {
  readonly end: Position;
  readonly token: string;
  readonly rows: Batch;
}

export interface BatchReaderDeps {
  readonly nodeId: string;
  readonly log: Pick<Log, "read" | "end" | "waitBeyond">;
  readonly transform: Pick<TransformThread, "allocate" | "run">;
  /** Called when events have come after a wait for them, and all before them were taken. */
  readonly onWake: () => void;
}

interface Piece {
  /** A batch of its own: the one that a crash interrupted. */
  readonly isWhole: boolean;
  readonly records: readonly LogRecord[];
  readonly bytes: number;
  readonly rows: Promise<Batch>;
}

export class BatchReader {
  readonly #deps: BatchReaderDeps;
  readonly #signal: AbortSignal;
  readonly #waiting: Piece[] = [];
  #at: Position;
  #untransformed = 0;
  #isCaughtUp = false;
  #failure: { cause: unknown } | undefined;
  #changed = Promise.withResolvers<void>();
  /** When the next batch is due; while one is stored, nobody knows. */
  #dueMs = Number.NEGATIVE_INFINITY;

  /**
   * Begins to read at `from`. The first batch ends at `until`, if that is given: a batch that a crash interrupted ends
   * where it did.
   */
  constructor(deps: BatchReaderDeps, from: Position, until: Position | undefined, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#at = from;
    void this.#run(until).catch((cause: unknown) => {
      this.#failure = { cause };
      this.#notify();
    });
  }

  /** True if the log has nothing that was not taken. */
  isIdle(): boolean {
    return this.#isCaughtUp && this.#waiting.length === 0;
  }

  /** The next batch, when it is due or full. Call `storing` before it is stored, and `stored` afterwards. */
  async take(): Promise<NextBatch> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.cause;
      this.#signal.throwIfAborted();
      const restMs = this.#dueMs - performance.now();
      const { pieces, isFull } = this.#fitting();
      if (pieces.length > 0 && (isFull || restMs <= 0)) return this.#join(pieces);
      const due = pieces.length > 0 ? [delay(restMs)] : [];
      await Promise.race([this.#changed.promise, ...due]);
    }
  }

  storing(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  stored(): void {
    this.#dueMs = performance.now() + GROW_MS;
    this.#notify();
  }

  async #run(until: Position | undefined): Promise<void> {
    if (until !== undefined) await this.#readUntil(until);
    for (;;) {
      // It fails when it ends, whatever it was doing: somebody may wait for the next batch.
      this.#signal.throwIfAborted();
      await this.#waitForRoom();
      await this.#waitForMore();
      await this.#letGrow();
      const { records } = await this.#read(PIECE);
      this.#transform(records, false);
    }
  }

  /** In as many reads as it takes: the pieces of a batch may reach further than one read with its limits. */
  async #readUntil(until: Position): Promise<void> {
    const records: LogRecord[] = [];
    let isOver = false;
    // The log ends earlier if it was restored from a backup.
    while (!isOver && comparePositions(this.#at, until) < 0 && comparePositions(this.#deps.log.end(), this.#at) > 0) {
      const some = await this.#read(BATCH, until);
      for (const record of some.records) records.push(record);
      isOver = some.isOver;
    }
    this.#transform(records, true);
  }

  async #waitForRoom(): Promise<void> {
    while (this.#untransformed >= MOST_UNTRANSFORMED || isBatch(this.#waiting)) {
      this.#signal.throwIfAborted();
      await this.#changed.promise;
    }
  }

  async #waitForMore(): Promise<void> {
    const { log, onWake } = this.#deps;
    if (comparePositions(log.end(), this.#at) > 0) return;
    this.#isCaughtUp = true;
    try {
      await log.waitBeyond(this.#at, this.#signal);
      if (this.isIdle()) onWake();
    } finally {
      this.#isCaughtUp = false;
    }
  }

  /** A piece that is not full is read in time for the next batch. */
  async #letGrow(): Promise<void> {
    for (;;) {
      const restMs = this.#dueMs - LEAD_MS - performance.now();
      if (restMs <= 0 || isFull(this.#at, this.#deps.log.end())) return;
      await delay(Math.min(restMs, GROW_STEP_MS), undefined, { signal: this.#signal });
    }
  }

  /** The next records, and whether there was one at or behind `until`, which is not read. */
  async #read(
    limits: Pick<ReadLimits, "maxBytes" | "maxRecords">,
    until?: Position,
  ): Promise<{ records: readonly LogRecord[]; isOver: boolean }> {
    const { log, transform } = this.#deps;
    const { records: found, next } = await log.read(this.#at, { ...limits, sizeOf, allocate: transform.allocate });
    const records = until ? found.filter(({ position }) => comparePositions(position, until) < 0) : found;
    const isOver = records.length < found.length;
    // Without a record: the end of a finished segment, or the header of the first one.
    this.#at = isOver ? (records.at(-1)?.next ?? this.#at) : next;
    return { records, isOver };
  }

  #transform(records: readonly LogRecord[], isWhole: boolean): void {
    if (records.length === 0) return;
    const { nodeId, transform } = this.#deps;
    const bytes = records.reduce((sum, { size }) => sum + size, 0);
    const rows = transform.run(
      records.map((record) => ({ payload: record.payload, recordId: recordIdOf(nodeId, record) })),
    );
    this.#untransformed += 1;
    const transformed = () => {
      this.#untransformed -= 1;
      this.#notify();
    };
    // Whoever stores the batch hears of a failure.
    rows.then(transformed, transformed);
    this.#waiting.push({ isWhole, records, bytes, rows });
    this.#notify();
  }

  /** The pieces that a batch may have; it is full if another one might not fit. */
  #fitting(): { pieces: readonly Piece[]; isFull: boolean } {
    const pieces: Piece[] = [];
    let bytes = 0;
    let records = 0;
    for (const piece of this.#waiting) {
      if (piece.isWhole) return { pieces: [piece], isFull: true };
      bytes += piece.bytes;
      records += piece.records.length;
      if (pieces.length > 0 && (bytes > BATCH.maxBytes || records > BATCH.maxRecords)) return { pieces, isFull: true };
      pieces.push(piece);
    }
    const isFilled = bytes > BATCH.maxBytes - PIECE.maxBytes || records > BATCH.maxRecords - PIECE.maxRecords;
    return { pieces, isFull: isFilled };
  }

  async #join(pieces: readonly Piece[]): Promise<NextBatch> {
    const rows = await Promise.all(pieces.map((piece) => piece.rows));
    this.#waiting.splice(0, pieces.length);
    this.#notify();
    const records = pieces.flatMap((piece) => piece.records);
    const end = records.at(-1)?.next ?? this.#at;
    return { end, token: tokenOf(this.#deps.nodeId, records), rows: joinBatches(rows) };
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** Small records fill a batch by their number: of 200 bytes each, 24 pieces would wait until they filled it by their bytes. */
function isBatch(pieces: readonly Piece[]): boolean {
  const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, 0);
  const records = pieces.reduce((sum, piece) => sum + piece.records.length, 0);
  return bytes >= BATCH.maxBytes || records >= BATCH.maxRecords;
}

/** True for nearly the maximum size of a piece, and for everything up to the end of a segment. */
function isFull(from: Position, to: Position): boolean {
  if (to.segment !== from.segment) return to.segment > from.segment && from.segment > 0;
  return to.offset - from.offset > PIECE.maxBytes * 0.9;
}

/**
 * The checksum represents the content of the record. Positions alone repeat when a log is deleted, copied or restored
 * from a backup, and an engine that compares only positions would drop the new events as copies of the old ones.
 */
function recordIdOf(nodeId: string, { position, check }: LogRecord): string {
  return `${nodeId}-${position.segment}.${position.offset}-${check.toString(36)}`;
}

function tokenOf(nodeId: string, records: readonly LogRecord[]): string {
  const checks = Uint32Array.from(records, (record) => record.check);
  const digest = createHash("sha256").update(checks).digest("base64url").slice(0, 22);
  const [first, last] = [records[0]?.position, records.at(-1)?.next];
  return `${nodeId}:${first?.segment}.${first?.offset}:${last?.segment}.${last?.offset}:${digest}`;
}

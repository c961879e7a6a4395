/** Reads batches from the log and has a thread transform them. */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../ingest/log.ts";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { LogRecord, ReadLimits } from "../ingest/log-read.ts";
import { sizeOf } from "../ingest/logged-request.ts";
import type { Batch } from "./transform.ts";
import type { TransformThread } from "./transform-thread.ts";

/**
 * 24 MiB of log are about 24,000 events of 1 KB, a second of work. Merging them into sessions took 8 us per event; in
 * batches of a third of that size it took 20 us.
 */
const LIMITS = { maxBytes: 24 * 1024 * 1024, maxRecords: 20_000 } as const;
const GROW_MS = 400;
const GROW_STEP_MS = 25;

export interface NextBatch {
  /** The batch has the maximum size: more events are waiting. */
  full: boolean;
  end: Position;
  token: string;
  rows: Promise<Batch>;
}

export interface BatchReaderDeps {
  nodeId: string;
  log: Pick<Log, "read" | "end">;
  transform: Pick<TransformThread, "allocate" | "run">;
}

export class BatchReader {
  readonly #deps: BatchReaderDeps;
  readonly #signal: AbortSignal;
  readonly #limits: ReadLimits;

  constructor(deps: BatchReaderDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#limits = { ...LIMITS, sizeOf, allocate: deps.transform.allocate };
  }

  /**
   * The batch after `from`; undefined when the log has no more. A batch that a crash interrupted ends at its previous
   * end (`until`): with the same limits from the same position, the read reaches at least that far.
   */
  async read(from: Position, until?: Position): Promise<NextBatch | undefined> {
    const { records } = await this.#deps.log.read(from, this.#limits);
    return this.#toBatch(until ? records.filter((record) => comparePositions(record.position, until) < 0) : records);
  }

  /**
   * As `read`, for a `from` below the end of the log: waits first, so that the batch may grow. `next` is the position
   * to continue at.
   */
  async readGrown(from: Position, storedAtMs: number): Promise<{ batch: NextBatch | undefined; next: Position }> {
    await this.#letGrow(from, storedAtMs);
    this.#signal.throwIfAborted();
    const { records, next } = await this.#deps.log.read(from, this.#limits);
    return { batch: this.#toBatch(records), next };
  }

  async #letGrow(from: Position, storedAtMs: number): Promise<void> {
    for (;;) {
      const rest = storedAtMs + GROW_MS - performance.now();
      if (rest <= 0 || isFull(from, this.#deps.log.end())) return;
      await delay(Math.min(rest, GROW_STEP_MS), undefined, { signal: this.#signal });
    }
  }

  #toBatch(records: readonly LogRecord[]): NextBatch | undefined {
    const { nodeId, transform } = this.#deps;
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const rows = transform.run(
      records.map((record) => ({ payload: record.payload, recordId: recordIdOf(nodeId, record) })),
    );
    // Awaited when the batch is stored; until then a rejection must not end the process.
    rows.catch(() => undefined);
    const bytes = records.reduce((sum, { size }) => sum + size, 0);
    const full = isFull(first.position, last.next) || isLarge(bytes) || records.length === LIMITS.maxRecords;
    return { full, end: last.next, token: tokenOf(nodeId, records), rows };
  }
}

/** True for nearly the maximum size, and for everything up to the end of a segment. */
function isFull(from: Position, to: Position): boolean {
  return to.segment !== from.segment ? to.segment > from.segment && from.segment > 0 : isLarge(to.offset - from.offset);
}

const isLarge = (bytes: number) => bytes > LIMITS.maxBytes * 0.9;

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

/**
 * Drains the log into the warehouse: read a batch -> rows -> store it once -> release the log.
 *
 * The engine ensures that a batch is stored once (BatchStore). An idle service stores an event immediately. A busy one
 * lets a batch grow for 400 ms after the last one was stored, unless it is full earlier: a batch costs the engine 30 to
 * 50 ms, whatever its size. While one batch is stored, the next is read and transformed.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type BatchStore, CursorMoved, type LedgerEntry } from "../engines/port.ts";
import type { Log } from "../ingest/log.ts";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { Clock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { BatchReader, type NextBatch } from "./batch-reader.ts";
import { LogReleaser } from "./log-releaser.ts";
import type { TransformThread } from "./transform-thread.ts";

/** A damaged record needs a repair by the operator: six tries a minute are enough to continue soon afterwards. */
const RESTART_FIRST_MS = 500;
const RESTART_MAX_MS = 10_000;
/** Longer than any batch takes that succeeds in the end, also on a slow disk. */
const STALLED_MS = 60_000;

export interface WriterDeps {
  nodeId: string;
  log: Log;
  store: BatchStore;
  transform: TransformThread;
  clock: Clock;
  logger: WarnLog;
  observe: WriterMetrics;
  /** A larger log is released immediately, at the cost of a checkpoint. */
  crowdedBytes: number;
}

export interface WriterMetrics {
  /** Reports the outcomes of a stored batch. */
  stored(entries: readonly LedgerEntry[]): void;
  fresh(seconds: number): void;
  retried(): void;
}

export interface Writer {
  /** True if the log holds events and none was stored for a minute. */
  isStalled(): boolean;
  /** Stops immediately. A running batch is aborted, and the next start sends it again. */
  stop(): Promise<void>;
}

export function startWriter(deps: WriterDeps): Writer {
  const stopping = new AbortController();
  const drain = new Drain(deps, stopping.signal);
  const running = runForever(deps, drain, stopping.signal);
  return {
    isStalled: () => drain.isStalled(),
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}

/** A drain ends when the cursor or the log cannot be used; then it restarts from the engine's cursor. */
async function runForever({ logger, observe }: WriterDeps, drain: Drain, signal: AbortSignal): Promise<void> {
  let pause = RESTART_FIRST_MS;
  while (!signal.aborted) {
    const startedAtMs = drain.movedAtMs();
    try {
      await drain.run();
    } catch (cause) {
      if (signal.aborted) return;
      logger.warn({ err: cause }, "the warehouse writer starts over");
      observe.retried();
      if (drain.movedAtMs() !== startedAtMs || cause instanceof CursorMoved) pause = RESTART_FIRST_MS;
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 2, RESTART_MAX_MS);
    }
  }
}

class Drain {
  readonly #deps: WriterDeps;
  readonly #signal: AbortSignal;
  readonly #reader: BatchReader;
  readonly #releaser: LogReleaser;
  #isIdle = false;
  #movedAtMs: number;

  constructor(deps: WriterDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#reader = new BatchReader(deps, signal);
    this.#releaser = new LogReleaser(deps, signal);
    this.#movedAtMs = deps.clock.nowMs();
  }

  /** When a batch was last stored, or a wait for new events ended. */
  movedAtMs(): number {
    return this.#movedAtMs;
  }

  isStalled(): boolean {
    return !this.#isIdle && this.#deps.clock.nowMs() - this.#movedAtMs > STALLED_MS;
  }

  /** Stores batch after batch, from the engine's cursor. */
  async run(): Promise<void> {
    const { done: start, pendingEnd } = await this.#deps.store.position();
    let done = start;
    let next = await this.#reader.read(done, pendingEnd);
    let storedAtMs = Number.NEGATIVE_INFINITY;
    while (!this.#signal.aborted) {
      const batch = next ?? (await this.#waitAndRead(done, storedAtMs));
      // Only a backlog is read ahead: a partial batch is still growing.
      const ahead = batch.full ? this.#reader.read(batch.end) : undefined;
      // Awaited below; until then a rejection must not end the process.
      ahead?.catch(() => undefined);
      await this.#store(batch, done);
      storedAtMs = performance.now();
      done = batch.end;
      this.#movedAtMs = this.#deps.clock.nowMs();
      next = await ahead;
    }
  }

  async #store(batch: NextBatch, from: Position): Promise<void> {
    const { store, observe, clock, transform } = this.#deps;
    const rows = await batch.rows;
    const range = { from, to: batch.end, token: batch.token };
    const { ledger, durable } = await store.store(rows, range, this.#signal);
    observe.stored(ledger);
    observe.fresh((clock.nowMs() - rows.firstReceivedAtMs) / 1000);
    transform.release(rows);
    await this.#releaser.afterBatch(durable, batch.end);
  }

  async #waitAndRead(from: Position, storedAtMs: number): Promise<NextBatch> {
    for (let at = from; ; ) {
      await this.#waitForMore(at);
      const { batch, next } = await this.#reader.readGrown(at, storedAtMs);
      if (batch) return batch;
      // The end of a finished segment, or the header of the first one: no records, but a later position.
      at = next;
    }
  }

  async #waitForMore(at: Position): Promise<void> {
    const { log, clock } = this.#deps;
    if (comparePositions(log.end(), at) > 0) return;
    this.#isIdle = true;
    const flushing = this.#releaser.flushWhenIdle(at);
    try {
      await log.waitBeyond(at, this.#signal);
    } finally {
      this.#isIdle = false;
      this.#movedAtMs = clock.nowMs();
      flushing.cancel();
    }
  }
}

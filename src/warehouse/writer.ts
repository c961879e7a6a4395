/**
 * Drains the log into the warehouse: read pieces -> rows -> store them once, as a batch -> release the log.
 *
 * The engine ensures that a batch is stored once (BatchStore). An idle service stores an event immediately. A busy one
 * lets a batch grow for up to 200 ms after the last one was stored, unless it is full earlier: a batch costs the engine
 * 60 to 130 ms, whatever its size. While one batch is stored, the next is read and transformed (batch-reader.ts).
 */
import { setTimeout as delay } from "node:timers/promises";
import { CursorMoved, type LedgerEntry } from "../engines/batch.ts";
import type { BatchStore } from "../engines/port.ts";
import type { Log } from "../ingest/log.ts";
import type { Position } from "../ingest/log-position.ts";
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
  readonly #releaser: LogReleaser;
  /** Of the run. */
  #reader: BatchReader | undefined;
  #isStoring = false;
  #movedAtMs: number;

  constructor(deps: WriterDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#releaser = new LogReleaser(deps, signal);
    this.#movedAtMs = deps.clock.nowMs();
  }

  /** When a batch was last stored, or an event came after all were stored. */
  movedAtMs(): number {
    return this.#movedAtMs;
  }

  isStalled(): boolean {
    const isIdle = !this.#isStoring && (this.#reader?.isIdle() ?? false);
    return !isIdle && this.#deps.clock.nowMs() - this.#movedAtMs > STALLED_MS;
  }

  /** Stores batch after batch, from the engine's cursor. */
  async run(): Promise<void> {
    const { done: start, pendingEnd } = await this.#deps.store.position();
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#signal, ending.signal]);
    const onWake = () => {
      if (!this.#isStoring) this.#movedAtMs = this.#deps.clock.nowMs();
    };
    const reader = new BatchReader({ ...this.#deps, onWake }, start, pendingEnd, signal);
    this.#reader = reader;
    try {
      for (let done = start; !this.#signal.aborted; ) {
        const flushing = this.#releaser.flushWhenIdle(done);
        const batch = await reader.take().finally(flushing.cancel);
        await this.#store(batch, done);
        done = batch.end;
        this.#movedAtMs = this.#deps.clock.nowMs();
      }
    } finally {
      ending.abort(new Error("the run has ended"));
    }
  }

  async #store({ rows, end, token }: NextBatch, from: Position): Promise<void> {
    const { store, observe, clock, transform } = this.#deps;
    this.#isStoring = true;
    this.#reader?.storing();
    try {
      const { ledger, durable } = await store.store(rows, { from, to: end, token }, this.#signal);
      observe.stored(ledger);
      observe.fresh((clock.nowMs() - rows.firstReceivedAtMs) / 1000);
      transform.release(rows);
      await this.#releaser.afterBatch(durable, end);
    } finally {
      this.#isStoring = false;
      this.#reader?.stored();
    }
  }
}

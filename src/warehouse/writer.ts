/**
 * Drains the log into the warehouse: read a batch -> rows -> store it once -> release the log.
 *
 * How a batch is stored once is the engine's business (BatchStore). An idle service stores an event at once. A busy one lets a batch grow for
 * 400 ms after the last one was stored, unless it is full before: a batch costs the engine 30 to 50 ms whatever its size. While one batch is stored
 * the next is already read and transformed.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type BatchStore, CursorMoved, type LedgerEntry } from "../engines/port.ts";
import type { Log } from "../ingest/log.ts";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { LogRecord } from "../ingest/log-read.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { Batch } from "./transform.ts";
import type { TransformThread } from "./transform-thread.ts";

/** 24 MiB of log are about 24,000 events of 1 KB, a second of work. Merging them into sessions took 8 us each, and 20 in batches of a third of that. */
const LIMITS = { maxBytes: 24 * 1024 * 1024, maxRecords: 20_000 } as const;
const GROW_MS = 400;
const GROW_STEP_MS = 25;
/** A damaged record stays damaged until somebody mends it: asking ten times a minute is enough to go on soon after. */
const RESTART_FIRST_MS = 500;
const RESTART_MAX_MS = 10_000;
/** Longer than any batch that succeeds in the end, also on a slow disk. */
const STALLED_MS = 60_000;
/** An event log without news for so long is made durable in the engine and released. */
const FLUSH_IDLE_MS = 2_000;

export interface WriterDeps {
  nodeId: string;
  log: Log;
  store: BatchStore;
  transform: TransformThread;
  clock: Clock;
  logger: WarnLog;
  observe: WriterMetrics;
  /** A log of more bytes is released as soon as it can be, at the cost of a checkpoint. */
  crowdedBytes: number;
}

export interface WriterMetrics {
  /** What became of the events of a batch, now that it is stored. */
  stored(entries: readonly LedgerEntry[]): void;
  fresh(seconds: number): void;
  retried(): void;
}

export interface Writer {
  /** The log has had more for a minute, and nothing of it was stored. */
  isStalled(): boolean;
  /** Stops at once. A batch under way is cut off; the next start sends the same one again. */
  stop(): Promise<void>;
}

interface NextBatch {
  /** As large as a batch may be: more is waiting. */
  full: boolean;
  end: Position;
  token: string;
  rows: Promise<Batch>;
}

export function startWriter(deps: WriterDeps): Writer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reader = createBatchReader(deps, signal);
  let idle = false;
  let movedAtMs = deps.clock.nowMs();

  /** Goes on for good. What ends a drain is a cursor or a log that cannot be used; then it starts over from the engine's cursor. */
  async function run(): Promise<void> {
    let pause = RESTART_FIRST_MS;
    while (!signal.aborted) {
      const startedAtMs = movedAtMs;
      try {
        await drain();
      } catch (cause) {
        if (signal.aborted) return;
        deps.logger.warn({ err: cause }, "the warehouse writer starts over");
        deps.observe.retried();
        if (movedAtMs !== startedAtMs || cause instanceof CursorMoved) pause = RESTART_FIRST_MS;
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, RESTART_MAX_MS);
      }
    }
  }

  async function drain(): Promise<void> {
    const { done: start, pendingEnd } = await deps.store.position();
    let done = start;
    let next = await reader.read(done, pendingEnd);
    let storedAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const batch = next ?? (await waitAndRead(done, storedAtMs));
      // Only a backlog is worth reading ahead: what has just begun to arrive is still growing.
      const ahead = batch.full ? reader.read(batch.end, undefined) : undefined;
      // Looked at below; until then its failure must not end the process.
      ahead?.catch(() => undefined);
      await storeBatch(batch, done);
      storedAtMs = performance.now();
      done = batch.end;
      movedAtMs = deps.clock.nowMs();
      next = await ahead;
    }
  }

  async function storeBatch(batch: NextBatch, from: Position): Promise<void> {
    const rows = await batch.rows;
    const range = { from, to: batch.end, token: batch.token };
    const { ledger, durable } = await deps.store.store(rows, range, signal);
    deps.observe.stored(ledger);
    deps.observe.fresh((deps.clock.nowMs() - rows.firstReceivedAtMs) / 1000);
    deps.transform.release(rows);
    await releaseLog(durable, batch.end);
    if (deps.log.stats().bytes > deps.crowdedBytes) await flushLog(batch.end);
  }

  async function releaseLog(durable: Position, stored: Position): Promise<void> {
    await tolerate(
      deps.log.release(durable, stored),
      deps.logger,
      "a segment that stays is released with the next batch",
    );
  }

  async function flushLog(stored: Position): Promise<void> {
    const flush = async () => releaseLog(await deps.store.flush(signal), stored);
    const unlessStopping = (cause: unknown) => {
      if (!signal.aborted) throw cause;
    };
    await tolerate(flush().catch(unlessStopping), deps.logger, "what the engine cannot make durable stays in the log");
  }

  async function waitAndRead(from: Position, storedAtMs: number): Promise<NextBatch> {
    for (let at = from; ; ) {
      await waitForMore(at);
      await letGrow(at, storedAtMs);
      const { batch, next } = await reader.readSome(at);
      if (batch) return batch;
      // The end of a finished segment, or the head of the first: no record, but further on.
      at = next;
    }
  }

  async function waitForMore(at: Position): Promise<void> {
    if (comparePositions(deps.log.end(), at) > 0) return;
    idle = true;
    const flushing = flushWhenIdle(at);
    try {
      await deps.log.waitBeyond(at, signal);
    } finally {
      idle = false;
      movedAtMs = deps.clock.nowMs();
      flushing.cancel();
    }
  }

  /** Nothing waits for it, and events that come meanwhile wait for one checkpoint at most. */
  function flushWhenIdle(at: Position): { cancel(): void } {
    const timer = setTimeout(() => void flushLog(at), FLUSH_IDLE_MS);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  }

  async function letGrow(from: Position, storedAtMs: number): Promise<void> {
    for (;;) {
      const rest = storedAtMs + GROW_MS - performance.now();
      if (rest <= 0 || isFull(from, deps.log.end())) return;
      await delay(Math.min(rest, GROW_STEP_MS), undefined, { signal });
    }
  }

  const running = run();
  return {
    isStalled: () => !idle && deps.clock.nowMs() - movedAtMs > STALLED_MS,
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}

/** Parts of the log as batches, transformed in their own thread. */
function createBatchReader(deps: Pick<WriterDeps, "log" | "nodeId" | "transform">, signal: AbortSignal) {
  const limits = { ...LIMITS, allocate: deps.transform.allocate };

  function toBatch(records: readonly LogRecord[]): NextBatch | undefined {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const placed = records.map((record) => ({ payload: record.payload, place: placeOf(deps.nodeId, record) }));
    const rows = deps.transform.run(placed);
    rows.catch(() => undefined);
    const full = isFull(first.position, last.next) || records.length === LIMITS.maxRecords;
    return { full, end: last.next, token: tokenOf(deps.nodeId, records), rows };
  }

  async function readSome(from: Position): Promise<{ batch: NextBatch | undefined; next: Position }> {
    signal.throwIfAborted();
    const { records, next } = await deps.log.read(from, limits);
    return { batch: toBatch(records), next };
  }

  /**
   * What the log holds beyond `from`; undefined when there is nothing. A batch that a crash cut short ends where it ended then (`until`): the same
   * limits from the same place have read at least as far.
   */
  async function read(from: Position, until: Position | undefined): Promise<NextBatch | undefined> {
    const { records } = await deps.log.read(from, limits);
    return toBatch(until ? records.filter((record) => comparePositions(record.position, until) < 0) : records);
  }

  return { read, readSome };
}

/** Nearly all that a batch may hold; beyond the end of a segment it counts as that, too. */
function isFull(from: Position, to: Position): boolean {
  return to.segment !== from.segment
    ? to.segment > from.segment && from.segment > 0
    : to.offset - from.offset > LIMITS.maxBytes * 0.9;
}

/**
 * The checksums stand for what the records hold. Places alone come again when a log is deleted, copied or put back from a backup, and an engine that
 * goes by them would take the new events there for a repeat of the old ones and drop them.
 */
function placeOf(nodeId: string, { position, check }: LogRecord): string {
  return `${nodeId}-${position.segment}.${position.offset}-${check.toString(36)}`;
}

function tokenOf(nodeId: string, records: readonly LogRecord[]): string {
  const checks = Uint32Array.from(records, (record) => record.check);
  const digest = createHash("sha256").update(checks).digest("base64url").slice(0, 22);
  const [first, last] = [records[0]?.position, records.at(-1)?.next];
  return `${nodeId}:${first?.segment}.${first?.offset}:${last?.segment}.${last?.offset}:${digest}`;
}

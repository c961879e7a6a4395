/**
 * Drains the log into the warehouse: read a stretch -> rows -> insert with a token -> move the cursor -> release the log.
 *
 * The cursor file holds `done` (everything below is stored) and, before an insert, where the stretch ends that it is about to
 * store. After a crash the same stretch is read again and makes the same token, so the repeat is the same batch to the engine.
 * An idle service stores an event at once. A busy one lets a stretch grow for 400 ms after the last insert, unless it is full
 * before: an insert costs the engine about 50 ms of CPU whatever its size, 49 us for each row on top. While one batch is
 * inserted the next is already read and transformed.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import type { Cursor } from "../ingest/cursor.ts";
import type { Log } from "../ingest/log.ts";
import { comparePositions, type Position } from "../ingest/log-position.ts";
import type { LogRecord } from "../ingest/log-read.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { createDayBook } from "./day-book.ts";
import { insertBatch } from "./insert-batch.ts";
import type { Batch, LedgerEntry } from "./transform.ts";
import type { TransformThread } from "./transform-thread.ts";

/** 8 MiB of log are about 8,000 events of 1 KB: 0.3 s of work, and few enough parts for the engine to merge. */
const LIMITS = { maxBytes: 8 * 1024 * 1024, maxRecords: 20_000 } as const;
const GROW_MS = 400;
const GROW_STEP_MS = 25;
/** A damaged record stays damaged until somebody mends it: asking ten times a minute is enough to go on soon after. */
const RESTART_FIRST_MS = 500;
const RESTART_MAX_MS = 10_000;
/** Longer than any insert that succeeds in the end, also on a slow disk. */
const STALLED_MS = 60_000;

export interface WriterDeps {
  nodeId: string;
  log: Log;
  cursor: Cursor;
  engine: Pick<AnalyticsEngine, "insert" | "selectJson">;
  transform: TransformThread;
  clock: Clock;
  logger: WarnLog;
  observe: WriterMetrics;
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
  /** Stops at once. An insert under way is cut off; the next start repeats it under the same token. */
  stop(): Promise<void>;
}

interface Stretch {
  /** As large as a stretch may be: more is waiting. */
  full: boolean;
  end: Position;
  token: string;
  batch: Promise<Batch>;
}

export function startWriter(deps: WriterDeps): Writer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const limits = { ...LIMITS, allocate: deps.transform.allocate };
  const dayBook = createDayBook(deps.engine, deps.clock);
  let idle = false;
  let movedAtMs = deps.clock.nowMs();

  /** Goes on for good. What ends a drain is a cursor or a log that cannot be used; then it starts over from the cursor. */
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
        if (movedAtMs !== startedAtMs) pause = RESTART_FIRST_MS;
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(pause * 2, RESTART_MAX_MS);
      }
    }
  }

  async function drain(): Promise<void> {
    const { done: start, pending } = deps.cursor.get();
    let done = start;
    let next = await prepare(done, pending?.end);
    let storedAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const stretch = next ?? (await waitAndPrepare(done, storedAtMs));
      await deps.cursor.store({ done, pending: { end: stretch.end } });
      // Only a backlog is worth reading ahead: what has just begun to arrive is still growing.
      const ahead = stretch.full ? prepare(stretch.end, undefined) : undefined;
      // Looked at below; until then its failure must not end the process.
      ahead?.catch(() => undefined);
      const batch = await stretch.batch;
      let tries = 1;
      const onRetry = () => {
        tries += 1;
        deps.observe.retried();
      };
      const insertDeps = { engine: deps.engine, dayBook, log: deps.logger, signal, onRetry };
      const entries = await insertBatch(insertDeps, batch, stretch.token);
      storedAtMs = performance.now();
      done = stretch.end;
      await deps.cursor.store({ done });
      movedAtMs = deps.clock.nowMs();
      await tolerate(deps.log.release(done), deps.logger, "a segment that stays is released with the next batch");
      // After a failed try a socket that is being closed may still hold them: then they are left to the collector.
      if (tries === 1) deps.transform.release(batch);
      deps.observe.stored(entries);
      deps.observe.fresh((deps.clock.nowMs() - batch.firstReceivedAtMs) / 1000);
      next = await ahead;
    }
  }

  async function waitAndPrepare(from: Position, storedAtMs: number): Promise<Stretch> {
    for (let at = from; ; ) {
      await waitForMore(at);
      await letGrow(at, storedAtMs);
      const read = await deps.log.read(at, limits);
      const stretch = toStretch(read.records);
      if (stretch) return stretch;
      // The end of a finished segment, or the head of the first: no record, but further on.
      at = read.next;
    }
  }

  async function waitForMore(at: Position): Promise<void> {
    if (comparePositions(deps.log.end(), at) > 0) return;
    idle = true;
    try {
      await deps.log.waitBeyond(at, signal);
    } finally {
      idle = false;
      movedAtMs = deps.clock.nowMs();
    }
  }

  async function letGrow(from: Position, storedAtMs: number): Promise<void> {
    for (;;) {
      const rest = storedAtMs + GROW_MS - performance.now();
      if (rest <= 0 || isFull(from, deps.log.end())) return;
      await delay(Math.min(rest, GROW_STEP_MS), undefined, { signal });
    }
  }

  /**
   * What the log holds beyond `from`; undefined when there is nothing. A batch that a crash cut short ends where it ended then
   * (`until`): the same limits from the same place have read at least as far.
   */
  async function prepare(from: Position, until: Position | undefined): Promise<Stretch | undefined> {
    const { records } = await deps.log.read(from, limits);
    return toStretch(until ? records.filter((record) => comparePositions(record.position, until) < 0) : records);
  }

  function toStretch(records: readonly LogRecord[]): Stretch | undefined {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    const token = tokenOf(deps.nodeId, records);
    const requests = records.map((record) => ({ payload: record.payload, place: placeOf(deps.nodeId, record) }));
    const batch = deps.transform.run(requests);
    batch.catch(() => undefined);
    const full = isFull(first.position, last.next) || records.length === LIMITS.maxRecords;
    return { full, end: last.next, token, batch };
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

/** Nearly all that a stretch may hold; beyond the end of a segment it counts as that, too. */
function isFull(from: Position, to: Position): boolean {
  return to.segment !== from.segment
    ? to.segment > from.segment && from.segment > 0
    : to.offset - from.offset > LIMITS.maxBytes * 0.9;
}

/**
 * The checksums stand for what the records hold. Places alone come again when a log is deleted, copied or put back from a backup, and
 * the engine would take the new events there for a repeat of the old ones and drop them.
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

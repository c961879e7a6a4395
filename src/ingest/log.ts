/**
 * The durable log of an ingest node: an append resolves when its record is on disk.
 *
 *   ok ------a write or fdatasync fails------> broken     everything that waits is refused; nothing is tried again
 *   broken --a probe cut, wrote and synced---> ok         probes by itself: at once, then after 0.1 s doubling to 2 s
 *   ok, broken ------close()-----------------> closed
 *
 * One group is in flight at a time; what is appended meanwhile is the next one. So a slow disk makes larger groups, not more
 * waiting, and there is no flush interval.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import type { Files } from "../lib/files.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { createAges } from "./log-ages.ts";
import { classifyFailure, LogUnavailable } from "./log-errors.ts";
import { createNotices } from "./log-notices.ts";
import { comparePositions, LOG_START, type Position } from "./log-position.ts";
import { type ReadLimits, type ReadResult, readLog } from "./log-read.ts";
import { recover } from "./log-recover.ts";
import { createWaiters } from "./log-waiters.ts";
import { createWriter, type Entry, entryOf } from "./log-writer.ts";
import { MAX_PAYLOAD_BYTES, MAX_SEGMENT_BYTES, RECORD_HEADER_BYTES } from "./segment-format.ts";
import { endOf, isFilled, type Segment } from "./segment-scan.ts";

const MIB = 1024 * 1024;
/** Released in pieces of this size, or of a quarter of a small log; it is also all that a start has to scan (80 ms). */
const SEGMENT_BYTES = 64 * MIB;
const DEFAULTS = {
  /** The warehouse may be away for about 7 minutes of full load (20 MB/s), or a day of 100 events/s of 1 KB. */
  maxBytes: 8 * 1024 * MIB,
  /** Three seconds of full load; by then a client is better told to come back. */
  maxQueuedBytes: 64 * MIB,
} as const;

/** A request of some dozens of events. A log without room for it counts as full, although a smaller one may still fit. */
const USUAL_BYTES = 64 * 1024;

const PROBE_FIRST_MS = 100;
const PROBE_MAX_MS = 2000;

export interface LogOptions {
  readonly dir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: WarnLog;
  /**
   * The reader's durable cursor. Missing segments above it are an error instead of silence, and positions begin beyond it
   * even if the directory was emptied: otherwise the reader would pass over new records.
   */
  readonly consumed?: Position;
  readonly segmentBytes?: number;
  readonly maxBytes?: number;
  readonly maxQueuedBytes?: number;
}

export interface LogStats {
  /** Of records and headers on disk. */
  readonly bytes: number;
  readonly segments: number;
  readonly queuedBytes: number;
  /** When the oldest record that is not released was appended; exact to a second, after a restart to a segment. */
  readonly oldestRecordAtMs: number | undefined;
  readonly state: "ok" | "broken" | "closed";
  /** Why it takes nothing now, for who runs the service; undefined while it takes events. */
  readonly trouble: string | undefined;
  /** Group commits and records since the log was opened. */
  readonly fsyncs: number;
  readonly records: number;
}

export interface Log {
  /** The bytes must stay as they are until this settles. Rejects with LogUnavailable. */
  append(payload: Uint8Array | readonly Uint8Array[]): Promise<Position>;
  read(from: Position, limits: ReadLimits): Promise<ReadResult>;
  /** Everything below it is synced. */
  end(): Position;
  /** Resolves as soon as something beyond `position` is synced; rejects with the signal's reason, or when the log closes. */
  waitBeyond(position: Position, signal?: AbortSignal): Promise<void>;
  /** Deletes the segments that lie wholly below `upTo`. What lies below `stored` is not needed to know how old the oldest event in waiting is. */
  release(upTo: Position, stored?: Position): Promise<void>;
  stats(): LogStats;
  /** Makes durable what is queued, then ends. */
  close(): Promise<void>;
}

interface Waiting extends Entry {
  readonly resolve: (position: Position) => void;
  readonly reject: (cause: Error) => void;
}

export async function openLog(options: LogOptions): Promise<Log> {
  const { dir, files, clock, logger, consumed = LOG_START } = options;
  const { maxBytes, maxQueuedBytes } = { ...DEFAULTS, ...options };
  const { segmentBytes = Math.min(SEGMENT_BYTES, Math.floor(maxBytes / 4)) } = options;
  if (segmentBytes > MAX_SEGMENT_BYTES) throw new RangeError(`segmentBytes is above ${MAX_SEGMENT_BYTES}`);
  const recovered = await recover({ dir, files, logger, consumed, nowMs: clock.nowMs() });
  const { segments } = recovered;
  const writer = createWriter({ ...recovered, dir, files, clock, logger, segmentBytes });
  const waiters = createWaiters();
  const notices = createNotices(logger);
  const ages = createAges();
  for (const segment of segments) if (isFilled(segment)) ages.add(endOf(segment), segment.madeAtMs);
  ages.release(consumed);

  const closing = new AbortController();
  let state: LogStats["state"] = "ok";
  let lastFailure: { reason: "disk_full" | "io_error"; cause: unknown } | undefined;
  let queue: Waiting[] = [];
  let queuedBytes = 0;
  let records = 0;
  let bytes = sizeOf(segments);
  // Not what was consumed: the engine may hold that in a log of its own, which is not safe yet.
  let released = LOG_START;
  let committing: Promise<void> | undefined;
  let repairing: Promise<void> | undefined;

  return {
    append(payload) {
      const entry = entryOf(payload instanceof Uint8Array ? [payload] : payload);
      if (entry.bytes > MAX_PAYLOAD_BYTES + RECORD_HEADER_BYTES) {
        return Promise.reject(new RangeError(`a record holds at most ${MAX_PAYLOAD_BYTES} bytes`));
      }
      const refusal = findRefusal(entry.bytes);
      if (refusal !== undefined) {
        notices.refused(refusal, entry.bytes);
        return Promise.reject(new LogUnavailable(refusal, state === "broken" ? lastFailure?.cause : undefined));
      }
      queuedBytes += entry.bytes;
      return new Promise((resolve, reject) => {
        queue.push({ ...entry, resolve, reject });
        committing ??= commitAll();
      });
    },
    read: (from, limits) => readLog(files, segments, from, limits),
    end,
    async waitBeyond(position, signal) {
      if (comparePositions(end(), position) > 0) return;
      if (state === "closed") throw new LogUnavailable("closed");
      await waiters.wait(position, signal);
    },
    release,
    stats: () => ({
      bytes,
      segments: segments.length,
      queuedBytes,
      oldestRecordAtMs: ages.oldestMs(),
      state,
      trouble: findTrouble(),
      fsyncs: writer.fsyncs(),
      records,
    }),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await committing;
      await repairing;
      state = "closed";
      waiters.fail(new LogUnavailable("closed"));
      await writer.close();
    },
  };

  function end(): Position {
    const active = segments.at(-1);
    return active === undefined ? LOG_START : endOf(active);
  }

  function findRefusal(size: number): LogUnavailable["reason"] | undefined {
    if (closing.signal.aborted) return "closed";
    if (state === "broken") return lastFailure?.reason ?? "io_error";
    if (lacksRoom(size)) return "log_full";
    // One record is always taken, however large.
    return queuedBytes > 0 && queuedBytes + size > maxQueuedBytes ? "full_queue" : undefined;
  }

  /**
   * The segment that is written is never released, and may be larger than the limit that was set since. So a log that holds
   * nothing unread takes one record whatever its size: it begins the next segment, or brings it nearer.
   */
  function lacksRoom(size: number): boolean {
    return bytes + queuedBytes + size > maxBytes && !(queuedBytes === 0 && isDrained());
  }

  function isDrained(): boolean {
    return segments.every((segment) => !isFilled(segment) || comparePositions(endOf(segment), released) <= 0);
  }

  /** A full queue is none: it is over within milliseconds. */
  function findTrouble(): string | undefined {
    if (state === "broken") return `the log cannot write: ${String(lastFailure?.cause)}`;
    if (state === "closed") return "the log is closed";
    if (!lacksRoom(USUAL_BYTES)) return undefined;
    return `the log is full: ${toMb(bytes)} of ${toMb(maxBytes)} MB wait for the warehouse`;
  }

  async function commitAll(): Promise<void> {
    while (queue.length > 0) {
      // The requests that arrive in the same turn of the event loop share the group.
      await nextTurn();
      try {
        settle(await writer.commit(queue));
      } catch (cause) {
        breakDown(cause);
      }
    }
    committing = undefined;
    notices.look("full_queue", () => state === "ok");
  }

  function settle(positions: readonly Position[]): void {
    const done = queue.slice(0, positions.length);
    queue = queue.slice(positions.length);
    records += done.length;
    bytes = sizeOf(segments);
    ages.add(end(), clock.nowMs());
    waiters.wake(end());
    done.forEach((waiting, i) => {
      queuedBytes -= waiting.bytes;
      waiting.resolve(positions[i] ?? LOG_START);
    });
  }

  /** Refuses all that waits, the next group too: who is told at once can go to another node. */
  function breakDown(cause: unknown): void {
    state = "broken";
    lastFailure = { reason: classifyFailure(cause), cause };
    logger.warn({ err: cause, refused: queue.length }, "the log cannot write; it refuses events and probes");
    const refused = queue;
    queue = [];
    queuedBytes = 0;
    for (const waiting of refused) waiting.reject(new LogUnavailable(lastFailure.reason, cause));
    repairing = repair();
  }

  async function repair(): Promise<void> {
    for (let delayMs = 0; ; delayMs = Math.min(Math.max(delayMs * 2, PROBE_FIRST_MS), PROBE_MAX_MS)) {
      if (delayMs > 0) await pause(delayMs, closing.signal);
      if (closing.signal.aborted) return;
      // What the reader has finished may be all the room that is missing: a release that failed, or a segment that the last
      // try has ended.
      await tolerate(removeConsumed(), logger, "a segment that stays is removed with the next try");
      try {
        await writer.repair();
        bytes = sizeOf(segments);
        state = "ok";
        logger.warn({ end: end() }, "the log works again");
        return;
      } catch (cause) {
        lastFailure = { reason: classifyFailure(cause), cause };
      }
    }
  }

  async function release(upTo: Position, stored: Position = upTo): Promise<void> {
    ages.release(stored);
    if (comparePositions(upTo, released) > 0) released = upTo;
    await removeConsumed();
    notices.look("log_full", (size) => !lacksRoom(size));
  }

  /** Oldest first, so that what is left after a crash is still one run of segments. */
  async function removeConsumed(): Promise<void> {
    const done = segments.slice(0, -1).filter((segment) => comparePositions(endOf(segment), released) <= 0);
    for (const segment of done) {
      try {
        await files.unlink(segment.path);
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      }
      // Looked up after the wait: a commit may have begun a segment, or another release removed this one.
      const at = segments.indexOf(segment);
      if (at !== -1) segments.splice(at, 1);
      bytes = sizeOf(segments);
    }
    if (done.length > 0) await tolerate(files.fsyncDir(dir), logger, "a segment that comes back is released again");
  }
}

function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.end, 0);
}

function toMb(size: number): number {
  return Math.round(size / MIB);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch {
    // Only an abort ends it early: the log closes, and the caller looks.
  }
}

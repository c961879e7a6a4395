/**
 * The durable log of an ingest node: a write is settled when its record is on disk.
 *
 *   ok ------a write or fdatasync fails------> broken     everything that waits is refused; no write is repeated
 *   broken --a probe cut, wrote and synced---> ok         probes at once, then after 0.1 s, doubling to 2 s
 *   ok, broken ------close()-----------------> closed
 *
 * One group is in flight at a time; records that are appended meanwhile form the next one. So a slow disk makes larger
 * groups, not more waiting, and there is no flush interval.
 *
 * Only `#breakDown`, `#repair` and `close` change the state.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import type { Files } from "../lib/files.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { createAges } from "./log-ages.ts";
import { classifyFailure, LogUnavailable } from "./log-errors.ts";
import { createNotices, type Notices } from "./log-notices.ts";
import { comparePositions, LOG_START, type Position } from "./log-position.ts";
import { LogQueue, type Settle } from "./log-queue.ts";
import { type ReadLimits, type ReadResult, readLog } from "./log-read.ts";
import { type Recovered, recover } from "./log-recover.ts";
import { LogSegments } from "./log-segments.ts";
import { LogShares } from "./log-shares.ts";
import { createWaiters } from "./log-waiters.ts";
import { createWriter, type Writer } from "./log-writer.ts";
import { MAX_PAYLOAD_BYTES, MAX_SEGMENT_BYTES, RECORD_HEADER_BYTES } from "./segment-format.ts";
import { endOf, isFilled } from "./segment-scan.ts";

const MIB = 1024 * 1024;
/** The unit of release, or a quarter of a small log. It is also the most that a start has to scan (80 ms). */
const SEGMENT_BYTES = 64 * MIB;
const DEFAULTS = {
  /**
   * Covers about 7 minutes of full load (20 MB/s) while the warehouse is unavailable, or a day of 100 events/s of 1 KB.
   */
  maxBytes: 8 * 1024 * MIB,
  /** Three seconds of full load. A client that would wait longer gets a 503 and retries. */
  maxQueuedBytes: 64 * MIB,
} as const;

/**
 * A request with some dozens of events. Readiness calls a log without room for it full, although a smaller one may fit.
 */
const USUAL_BYTES = 64 * 1024;

const PROBE_FIRST_MS = 100;
const PROBE_MAX_MS = 2000;

export interface LogOptions {
  readonly dir: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly logger: WarnLog;
  /**
   * The reader's durable cursor. Missing segments after it are an error, and positions start after it even if the
   * directory was emptied: otherwise the reader would skip new records.
   */
  readonly consumed?: Position;
  readonly segmentBytes?: number;
  readonly maxBytes?: number;
  readonly maxQueuedBytes?: number;
}

export interface LogStats {
  /** Bytes of records and headers on disk. */
  readonly bytes: number;
  readonly segments: number;
  readonly queuedBytes: number;
  /** When the oldest unreleased record was appended: exact to a second, after a restart to a segment. */
  readonly oldestRecordAtMs: number | undefined;
  readonly state: "ok" | "broken" | "closed";
  /** The reason why it accepts nothing now, for the operator; undefined while it accepts events. */
  readonly trouble: string | undefined;
  /** Group commits and records since the log was opened. */
  readonly fsyncs: number;
  readonly records: number;
}

export interface Log {
  /**
   * The bytes are copied at once. A refusal, LogUnavailable, is told before this returns. `weighs` is what a packed
   * record counts for in its workspace's share, which is a share of the work that waits here, too.
   */
  write(payload: readonly Uint8Array[], settle: Settle, workspaceId?: string, weighs?: number): void;
  read(from: Position, limits: ReadLimits): Promise<ReadResult>;
  /** Everything below it is synced. */
  end(): Position;
  /**
   * Resolves as soon as a record after `position` is synced. Rejects with the signal's reason, or when the log closes.
   */
  waitBeyond(position: Position, signal?: AbortSignal): Promise<void>;
  /**
   * Deletes the segments that are entirely below `upTo`. Data below `stored` no longer counts for the age of the oldest
   * waiting event.
   */
  release(upTo: Position, stored?: Position): Promise<void>;
  stats(): LogStats;
  /** Makes queued records durable, then closes. */
  close(): Promise<void>;
}

export async function openLog(options: LogOptions): Promise<Log> {
  const settings = toSettings(options);
  const { clock } = settings;
  const recovered = await recover({ ...settings, nowMs: clock.nowMs() });
  return new DurableLog(settings, recovered);
}

type Settings = Required<LogOptions>;

function toSettings(options: LogOptions): Settings {
  const { maxBytes = DEFAULTS.maxBytes } = options;
  const segmentBytes = Math.min(SEGMENT_BYTES, Math.floor(maxBytes / 4));
  const settings = { ...DEFAULTS, consumed: LOG_START, segmentBytes, ...options };
  if (settings.segmentBytes > MAX_SEGMENT_BYTES) throw new RangeError(`segmentBytes is above ${MAX_SEGMENT_BYTES}`);
  return settings;
}

class DurableLog implements Log {
  readonly #settings: Settings;
  readonly #segments: LogSegments;
  readonly #writer: Writer;
  readonly #queue = new LogQueue();
  readonly #waiters = createWaiters();
  readonly #ages = createAges();
  readonly #shares: LogShares;
  readonly #notices: Notices;
  readonly #closing = new AbortController();
  #state: LogStats["state"] = "ok";
  #lastFailure: { reason: "disk_full" | "io_error"; cause: unknown } | undefined;
  #records = 0;
  #committing: Promise<void> | undefined;
  #repairing: Promise<void> | undefined;

  constructor(settings: Settings, recovered: Recovered) {
    this.#settings = settings;
    this.#segments = new LogSegments(recovered.segments, settings);
    this.#writer = createWriter({ ...recovered, ...settings });
    this.#shares = new LogShares(settings.maxBytes);
    this.#notices = createNotices(settings.logger);
    for (const segment of recovered.segments) if (isFilled(segment)) this.#ages.add(endOf(segment), segment.madeAtMs);
    this.#ages.release(settings.consumed);
  }

  write(payload: readonly Uint8Array[], settle: Settle, workspaceId?: string, weighs = 0): void {
    let bytes = RECORD_HEADER_BYTES;
    for (const part of payload) bytes += part.length;
    if (bytes > MAX_PAYLOAD_BYTES + RECORD_HEADER_BYTES) {
      settle(new RangeError(`a record holds at most ${MAX_PAYLOAD_BYTES} bytes`), LOG_START);
      return;
    }
    const share = Math.max(bytes, weighs);
    const nowMs = this.#settings.clock.nowMs();
    const refusal = this.#findRefusal(bytes, share, workspaceId, nowMs);
    if (refusal !== undefined) {
      this.#notices.refused(refusal, refusal === "share_full" ? share : bytes, workspaceId);
      const cause = this.#state === "broken" ? this.#lastFailure?.cause : undefined;
      settle(new LogUnavailable(refusal, cause), LOG_START);
      return;
    }
    if (workspaceId !== undefined) this.#shares.add(workspaceId, share, nowMs);
    this.#queue.add(payload, bytes, settle);
    this.#committing ??= this.#commitAll();
  }

  read(from: Position, limits: ReadLimits): Promise<ReadResult> {
    return readLog(this.#settings.files, this.#segments.list(), from, limits);
  }

  end(): Position {
    return this.#segments.end();
  }

  async waitBeyond(position: Position, signal?: AbortSignal): Promise<void> {
    if (comparePositions(this.end(), position) > 0) return;
    if (this.#state === "closed") throw new LogUnavailable("closed");
    await this.#waiters.wait(position, signal);
  }

  async release(upTo: Position, stored: Position = upTo): Promise<void> {
    this.#ages.release(stored);
    this.#shares.release(stored, this.end());
    await this.#segments.release(upTo);
    this.#notices.reportEnd("log_full", (size) => !this.#lacksRoom(size));
    this.#notices.reportEnd("share_full", (size) => this.#shares.fitsAll(size));
  }

  stats(): LogStats {
    return {
      bytes: this.#segments.bytes(),
      segments: this.#segments.list().length,
      queuedBytes: this.#queue.bytes(),
      oldestRecordAtMs: this.#ages.oldestMs(),
      state: this.#state,
      trouble: this.#findTrouble(),
      fsyncs: this.#writer.fsyncs(),
      records: this.#records,
    };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await this.#committing;
    await this.#repairing;
    this.#state = "closed";
    this.#waiters.fail(new LogUnavailable("closed"));
    await this.#writer.close();
  }

  #findRefusal(
    size: number,
    share: number,
    workspaceId: string | undefined,
    nowMs: number,
  ): LogUnavailable["reason"] | undefined {
    if (this.#closing.signal.aborted) return "closed";
    if (this.#state === "broken") return this.#lastFailure?.reason ?? "io_error";
    if (this.#lacksRoom(size)) return "log_full";
    if (workspaceId !== undefined && this.#shares.isExceeded(workspaceId, share, nowMs)) return "share_full";
    const queued = this.#queue.bytes();
    // One record is always accepted, however large.
    return queued > 0 && queued + size > this.#settings.maxQueuedBytes ? "full_queue" : undefined;
  }

  /**
   * The current segment is never released and may be larger than a limit that was lowered later. So a log without
   * unread records accepts one record of any size: it starts the next segment, or brings it nearer.
   */
  #lacksRoom(size: number): boolean {
    const queued = this.#queue.bytes();
    const isOver = this.#segments.bytes() + queued + size > this.#settings.maxBytes;
    return isOver && !(queued === 0 && this.#segments.isDrained());
  }

  /** A full queue does not count: it is over within milliseconds. */
  #findTrouble(): string | undefined {
    if (this.#state === "broken") return `the log cannot write: ${String(this.#lastFailure?.cause)}`;
    if (this.#state === "closed") return "the log is closed";
    if (!this.#lacksRoom(USUAL_BYTES)) return undefined;
    const [bytes, maxBytes] = [this.#segments.bytes(), this.#settings.maxBytes];
    return `the log is full: ${toMb(bytes)} of ${toMb(maxBytes)} MB wait for the warehouse`;
  }

  async #commitAll(): Promise<void> {
    while (!this.#queue.isEmpty()) {
      // The requests that arrive in the same turn of the event loop share a group.
      await nextTurn();
      let positions: readonly Position[] | undefined;
      try {
        positions = await this.#writer.commit(this.#queue.entries());
      } catch (cause) {
        this.#breakDown(cause);
      }
      if (positions !== undefined) this.#settle(positions);
    }
    this.#committing = undefined;
    this.#notices.reportEnd("full_queue", () => this.#state === "ok");
  }

  #settle(positions: readonly Position[]): void {
    this.#records += positions.length;
    this.#segments.measure();
    this.#ages.add(this.end(), this.#settings.clock.nowMs());
    this.#shares.settle(this.end());
    this.#waiters.wake(this.end());
    this.#queue.settle(positions);
  }

  /** Refuses everything that waits, including the next group: a client that is refused at once can use another node. */
  #breakDown(cause: unknown): void {
    this.#state = "broken";
    const reason = classifyFailure(cause);
    this.#lastFailure = { reason, cause };
    const refused = this.#queue.entries().length;
    this.#settings.logger.warn({ err: cause, refused }, "the log cannot write; it refuses events and probes");
    this.#queue.refuseAll(new LogUnavailable(reason, cause));
    this.#repairing = this.#repair();
  }

  async #repair(): Promise<void> {
    const { logger } = this.#settings;
    for (let delayMs = 0; ; delayMs = Math.min(Math.max(delayMs * 2, PROBE_FIRST_MS), PROBE_MAX_MS)) {
      if (delayMs > 0) await pause(delayMs, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      // Releasing finished segments may free the missing space: an earlier release may have failed, or the last attempt
      // ended a segment.
      await tolerate(this.#segments.removeReleased(), logger, "the next attempt removes the segment");
      try {
        await this.#writer.repair();
        this.#segments.measure();
        this.#state = "ok";
        logger.warn({ end: this.end() }, "the log works again");
        return;
      } catch (cause) {
        this.#lastFailure = { reason: classifyFailure(cause), cause };
      }
    }
  }
}

function toMb(size: number): number {
  return Math.round(size / MIB);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch {
    // Only an abort ends the wait early: the log closes, and the caller checks that.
  }
}

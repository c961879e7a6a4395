/**
 * The segment that is written, and its repair.
 *
 *   whole --commit fails--> dirty --cut back and proven--> whole
 *                             |
 *                             +--the cut or proof fails--> sealed --next segment made and proven--> whole
 *   whole --full--> sealed --next segment made--> whole
 *
 * A sealed segment never grows again: the header of its successor, which says where it ends, may already be on disk.
 */
import type { Clock } from "../lib/clock.ts";
import { type Files, type LogFile, writeFully } from "../lib/files.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { Position } from "./log-position.ts";
import type { Recovered } from "./log-recover.ts";
import { createSegment, cutTo, proveWritable } from "./segment-file.ts";
import { putRecord, RECORD_HEADER_BYTES } from "./segment-format.ts";
import { endOf, isFilled, type Segment } from "./segment-scan.ts";

/**
 * Encoding a full group blocks the event loop for about 2.5 ms. On a disk that needs 10 ms for a sync, groups of 4 MiB
 * still reach 400 MB/s.
 */
const GROUP_BYTES = 4 * 1024 * 1024;

export interface Entry {
  readonly parts: readonly Uint8Array[];
  /** Includes the record's header. */
  readonly bytes: number;
}

export interface Writer {
  /** Makes the first records of `queue` durable with one write and one fdatasync. Returns their positions. */
  commit(queue: readonly Entry[]): Promise<Position[]>;
  /** After a failed commit: resolves when the failed bytes are cut off and a probe of the disk has succeeded. */
  repair(): Promise<void>;
  fsyncs(): number;
  close(): Promise<void>;
}

export interface WriterDeps extends Recovered {
  readonly files: Files;
  readonly dir: string;
  readonly segmentBytes: number;
  readonly clock: Clock;
  readonly logger: WarnLog;
}

export function createWriter({ files, dir, segmentBytes, clock, logger, segments, ...deps }: WriterDeps): Writer {
  // Copying 1 KB into one buffer costs 0.07 us; passing 512 buffers to writev took 17 % more CPU for a group of 256.
  const scratch = Buffer.allocUnsafeSlow(GROUP_BYTES);
  let file: LogFile = deps.file;
  let active = newest(segments);
  let sealed = false;
  let fsyncs = 0;

  return {
    async commit(queue) {
      const first = queue[0]?.bytes ?? 0;
      if (isFilled(active) && active.end + first > segmentBytes) await roll();
      const { group, bytes } = takeGroup(queue, Math.min(GROUP_BYTES, segmentBytes - active.end));
      const target = bytes > scratch.length ? Buffer.allocUnsafeSlow(bytes) : scratch;
      const start = active.end;
      const positions: Position[] = [];
      let at = 0;
      for (const { parts } of group) {
        const offset = start + at;
        positions.push({ segment: active.number, offset });
        at = putRecord(target, at, { segment: active, offset }, start, parts);
      }
      await writeFully(file, target.subarray(0, at), start);
      await file.fdatasync();
      fsyncs += 1;
      active.end = start + at;
      return positions;
    },

    async repair() {
      if (!sealed) sealed = !(await tryCut());
      if (sealed) await roll();
      try {
        await proveWritable(file, active.end);
      } catch (cause) {
        // Another file may work where this one fails (a file size limit, bad blocks). An empty segment is not replaced:
        // a new one would be no different.
        if (isFilled(active)) sealed = true;
        // The zeros of a failed probe would keep a full disk full, also for the header of the next segment.
        await tolerate(file.truncate(active.end), logger, "the bytes of a failed probe are removed with their segment");
        throw cause;
      }
    },

    fsyncs: () => fsyncs,
    close: () => file.close(),
  };

  async function roll(): Promise<void> {
    sealed = true;
    const header = { number: active.number + 1, previous: endOf(active), madeAtMs: clock.nowMs() };
    const next = await createSegment(files, dir, header);
    const old = file;
    file = next.file;
    active = next.segment;
    segments.push(active);
    sealed = false;
    await tolerate(old.close(), logger, "all records of this segment are synced");
  }

  async function tryCut(): Promise<boolean> {
    try {
      await cutTo(file, active.end);
      return true;
    } catch (cause) {
      logger.warn(
        { err: cause, file: active.path, end: active.end },
        "the event log closes a segment that cannot be truncated",
      );
      return false;
    }
  }
}

/** As many entries as fit, and at least one: a record larger than a segment gets its own segment. */
function takeGroup(queue: readonly Entry[], room: number): { group: readonly Entry[]; bytes: number } {
  let bytes = 0;
  let count = 0;
  for (const entry of queue) {
    if (count > 0 && bytes + entry.bytes > room) break;
    bytes += entry.bytes;
    count += 1;
  }
  return { group: queue.slice(0, count), bytes };
}

function newest(segments: readonly Segment[]): Segment {
  const last = segments.at(-1);
  if (last === undefined) throw new Error("a recovered log has at least one segment");
  return last;
}

export function entryOf(parts: readonly Uint8Array[]): Entry {
  return { parts, bytes: parts.reduce((sum, part) => sum + part.length, RECORD_HEADER_BYTES) };
}

/**
 * The segment that is written, and its repair.
 *
 *   whole --commit fails--> dirty --cut back and proven--> whole
 *                             |
 *                             +--the cut or proof fails--> sealed --next segment made and proven--> whole
 *   whole --full or old--> sealed --next segment made--> whole
 *
 * A sealed segment never grows again: the header of its successor, which says where it ends, may already be on disk.
 */
import type { Clock } from "../lib/clock.ts";
import { type Files, type LogFile, writeFully } from "../lib/files.ts";
import { HOUR_MS } from "../lib/time.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import type { Position } from "./log-position.ts";
import type { Entry } from "./log-queue.ts";
import type { Recovered } from "./log-recover.ts";
import { createSegment, cutTo, proveWritable } from "./segment-file.ts";
import { sealRecord } from "./segment-format.ts";
import { endOf, isFilled, type Segment } from "./segment-scan.ts";

/**
 * The checksums of a full group block the event loop for about 2 ms. On a disk that needs 10 ms for a sync, groups of
 * 4 MiB still reach 400 MB/s.
 */
const GROUP_BYTES = 4 * 1024 * 1024;

/**
 * A segment of 64 MiB lasts for weeks on a small site. What the warehouse has stored, and has removed or erased since, is
 * to leave the disk and the next backup as well.
 */
const OLDEST_SEGMENT_MS = HOUR_MS;

export interface Writer {
  /** Makes the first records of `queue` durable with one fdatasync. Returns their positions. */
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
  let file: LogFile = deps.file;
  let active = newest(segments);
  let [sealed, fsyncs] = [false, 0];

  return {
    async commit(queue) {
      const first = queue[0]?.bytes ?? 0;
      const isOld = clock.nowMs() - active.madeAtMs >= OLDEST_SEGMENT_MS;
      if (isFilled(active) && (isOld || active.end + first > segmentBytes)) await roll();
      const start = active.end;
      const room = Math.min(GROUP_BYTES, segmentBytes - start);
      const { positions, pieces } = sealGroup(active, takeGroup(queue, room));
      let end = start;
      for (const piece of pieces) {
        await writeFully(file, piece, end);
        end += piece.length;
      }
      await file.fdatasync();
      fsyncs += 1;
      active.end = end;
      return positions;
    },

    async repair() {
      if (!sealed) sealed = !(await isCut(file, active, logger));
      if (sealed) await roll();
      try {
        await probe(file, active, logger);
      } catch (cause) {
        // Another file may work where this one fails (a file size limit, bad blocks). An empty segment is not replaced:
        // a new one would be no different.
        if (isFilled(active)) sealed = true;
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
}

/** Cuts off what lies after the last record. */
async function isCut(file: LogFile, { path, end }: Segment, logger: WarnLog): Promise<boolean> {
  try {
    await cutTo(file, end);
    return true;
  } catch (cause) {
    logger.warn({ err: cause, file: path, end }, "the event log closes a segment that cannot be truncated");
    return false;
  }
}

async function probe(file: LogFile, { end }: Segment, logger: WarnLog): Promise<void> {
  try {
    await proveWritable(file, end);
  } catch (cause) {
    // The zeros of a failed probe would keep a full disk full, also for the header of the next segment.
    await tolerate(file.truncate(end), logger, "the bytes of a failed probe are removed with their segment");
    throw cause;
  }
}

/**
 * Completes the records for their places behind the segment's end. Those that lie side by side in memory are one piece:
 * passing 512 buffers to writev took 17 % more CPU for a group of 256.
 */
function sealGroup(segment: Segment, group: readonly Entry[]): { positions: Position[]; pieces: Buffer[] } {
  const groupStart = segment.end;
  const positions: Position[] = [];
  const pieces: Buffer[] = [];
  let offset = groupStart;
  let [memory, start, end] = [NOTHING, 0, 0];
  for (const { block, at, bytes } of group) {
    sealRecord(block.memory, at, bytes, { segment, offset }, groupStart);
    positions.push({ segment: segment.number, offset });
    offset += bytes;
    if (block.memory !== memory || at !== end) {
      if (end > start) pieces.push(memory.subarray(start, end));
      [memory, start] = [block.memory, at];
    }
    end = at + bytes;
  }
  if (end > start) pieces.push(memory.subarray(start, end));
  return { positions, pieces };
}

const NOTHING: Buffer = Buffer.alloc(0);

/** As many entries as fit, and at least one: a record larger than a segment gets its own segment. */
function takeGroup(queue: readonly Entry[], room: number): readonly Entry[] {
  let bytes = 0;
  let count = 0;
  for (const entry of queue) {
    if (count > 0 && bytes + entry.bytes > room) break;
    bytes += entry.bytes;
    count += 1;
  }
  return queue.slice(0, count);
}

function newest(segments: readonly Segment[]): Segment {
  const last = segments.at(-1);
  if (last === undefined) throw new Error("a recovered log has at least one segment");
  return last;
}

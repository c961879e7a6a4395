/**
 * Reads that are executed once. A statement that says what it reads (`reads`) is decided by its text, its parameters and
 * the events of some projects up to a day. The same one is not run again while it runs, and its rows are kept in bounded
 * memory until one of those events may have changed: who asks is told what a run of its own would have told.
 *
 * Two tenants never share: the parameters name the projects.
 */
import { createHash } from "node:crypto";
import { type SharedWork, shareWork } from "../lib/shared-work.ts";
import type { AnalyticsEngine } from "./port.ts";
import type { Reads, Selected, SelectOptions } from "./select.ts";

type Select = AnalyticsEngine["select"];
type AnySelected = Selected<unknown>;

/** From this day on, events of the project may have changed. */
export interface ChangedDays {
  readonly projectId: string;
  readonly day: string;
}

export interface KeptReads {
  select: Select;
  /**
   * Call it after a commit and before anybody is told of it: who asks later must not be answered from before. Without
   * days everything may have changed.
   */
  changed(days?: readonly ChangedDays[]): void;
}

interface Read {
  readonly key: string;
  readonly reads: Reads;
  readonly startedAt: number;
  /** Undefined while it runs. */
  found: AnySelected | undefined;
  bytes: number;
  readonly work: SharedWork<AnySelected>;
}

/** Some thousands of usual answers. */
export const KEPT_BYTES = 32 * 1024 ** 2;
/** One answer may take this share of all: a larger one would drop most others. */
const LARGEST_SHARE = 1 / 8;

export interface KeptLimits {
  /** Of kept answers. */
  readonly bytes: number;
  /**
   * For an engine that is not told of every change, because others write to it, too: how long a read can be joined that
   * is not settled. None of those is kept.
   */
  readonly unsettledMs?: number;
}

export function createKeptReads(run: Select, { bytes, unsettledMs }: KeptLimits): KeptReads {
  const table = createTable(bytes);
  const isTold = ({ reads }: Read) => unsettledMs === undefined || reads.isSettled === true;

  function find(key: string): Read | undefined {
    const read = table.find(key);
    if (read === undefined || isTold(read) || performance.now() - read.startedAt < (unsettledMs ?? 0)) return read;
    table.drop(read);
    return undefined;
  }

  function start(key: string, reads: Reads, sql: string, options: SelectOptions): Read {
    const work = shareWork<AnySelected>(
      async (signal) => {
        const found = await run<unknown>(sql, { ...options, signal });
        if (isTold(read)) table.keep(read, found);
        return found;
      },
      () => {
        if (read.found === undefined) table.drop(read);
      },
    );
    const read: Read = { key, reads, startedAt: performance.now(), found: undefined, bytes: 0, work };
    table.add(read);
    return read;
  }

  return {
    async select<T>(sql: string, options: SelectOptions = {}): Promise<Selected<T>> {
      const { signal, reads, ...rest } = options;
      if (reads === undefined) return run<T>(sql, options);
      signal?.throwIfAborted();
      const key = keyOf(sql, rest);
      const read = find(key) ?? start(key, reads, sql, rest);
      if (read.found === undefined) return (await read.work.wait(signal)) as Selected<T>;
      return { rows: read.found.rows as readonly T[], statistics: NOTHING_SPENT };
    },
    changed: table.changed,
  };
}

/** Running and kept reads, by what they ask and by their projects. */
function createTable(mostBytes: number) {
  /** In the order of their last use. */
  const known = new Map<string, Read>();
  const byProject = new Map<string, Set<Read>>();
  let bytes = 0;

  function drop(read: Read): void {
    if (known.get(read.key) !== read) return;
    known.delete(read.key);
    bytes -= read.bytes;
    for (const project of read.reads.projects) {
      const ofProject = byProject.get(project);
      ofProject?.delete(read);
      if (ofProject?.size === 0) byProject.delete(project);
    }
  }

  return {
    drop,
    find(key: string): Read | undefined {
      const read = known.get(key);
      if (read !== undefined) {
        known.delete(key);
        known.set(key, read);
      }
      return read;
    },
    add(read: Read): void {
      known.set(read.key, read);
      for (const project of read.reads.projects) {
        const ofProject = byProject.get(project) ?? new Set();
        byProject.set(project, ofProject.add(read));
      }
    },
    /** A read that was dropped meanwhile is not kept: what it read may have changed. */
    keep(read: Read, found: AnySelected): void {
      const size = bytesOf(found.rows);
      if (known.get(read.key) !== read || size > mostBytes * LARGEST_SHARE) return;
      read.found = found;
      read.bytes = size;
      bytes += size;
      for (const oldest of known.values()) {
        if (bytes <= mostBytes) break;
        if (oldest.found !== undefined) drop(oldest);
      }
    },
    changed(days?: readonly ChangedDays[]): void {
      if (days === undefined) for (const read of [...known.values()]) drop(read);
      for (const { projectId, day } of days ?? [])
        for (const read of [...(byProject.get(projectId) ?? [])]) if (read.reads.lastDay >= day) drop(read);
    },
  };
}

const NOTHING_SPENT = { elapsed: 0, rows_read: 0, bytes_read: 0 } as const;

/** A hash: the text of a report has up to 20 KB. */
function keyOf(sql: string, { params = {}, timeoutMs = 0 }: SelectOptions): string {
  const values = JSON.stringify(params, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  return createHash("sha256").update(`${timeoutMs}\n${values}\n`).update(sql).digest("base64url");
}

/** What V8 takes for an object, a place in it and a number that is no small integer; texts have two bytes a character. */
const OBJECT_BYTES = 32;
const VALUE_BYTES = 16;

function bytesOf(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + 2 * value.length;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  let bytes = OBJECT_BYTES;
  for (const each of Object.values(value)) bytes += bytesOf(each);
  return bytes;
}

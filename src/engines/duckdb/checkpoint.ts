/**
 * Checkpoints block writers, so they run between two batches, each soon enough to be short: an automatic one ran inside a
 * commit and took up to 8 s. Before a checkpoint stored rows exist only in the write-ahead log, whose directory entry
 * DuckDB never syncs. The event log is therefore kept up to the last checkpoint.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { syncDir } from "../../lib/sync-dir.ts";
import type { LogPosition } from "../batch.ts";
import type { Database } from "./database.ts";
import type { MetadataCopy } from "./metadata-copy.ts";
import { ROW_GROUP_ROWS } from "./open-file.ts";
import { readRows } from "./rows.ts";

/**
 * Stored rows per checkpoint: a checkpoint ends a row group, and small ones cost disk and time. A batch at full load has
 * as many.
 */
const DUE_ROWS = ROW_GROUP_ROWS;

/** Size of the write-ahead log per checkpoint; opening it takes 10 ms per MB. Rollups and a rebuild grow it as well. */
const DUE_BYTES = 64 * 1024 * 1024;

/** Two checkpoints of full batches within this time are heavy load: 2,500 events a second. */
const BUSY_MS = 10_000;

export interface Checkpointer {
  /** Call it after a commit. */
  wrote(): void;
  /** Call it after storing rows. When enough are stored, a checkpoint runs before the next batch. */
  stored(rows: number): void;
  /** Makes a checkpoint now, unless nothing was stored since the last. */
  run(): Promise<void>;
  /** The same, and it merges small row groups. For a moment without other work. */
  runAndMerge(): Promise<void>;
  /** Call it after a commit that nothing else keeps, as the event log keeps batches: the write-ahead log may be new. */
  syncEntries(): Promise<void>;
  /** The position of a node's log that the last checkpoint covers. */
  durable(nodeId: string): LogPosition;
}

export function createCheckpointer(
  database: Database,
  path: string,
  onFailure: (cause: unknown) => void = () => undefined,
): Checkpointer {
  let waiting = 0;
  let isFirst = true;
  let cursors = new Map<string, LogPosition>();

  let isMerged = true;
  let fullAt = Number.NEGATIVE_INFINITY;

  async function run({ isMerging = false, isFull = false } = {}): Promise<void> {
    await database.checkpoint(async (connection, evict) => {
      if (waiting === 0 && !isFirst && (isMerged || !isMerging)) return;
      const rows = waiting;
      const found = await connection.runAndReadAll(`SELECT node_id, segment, "offset" FROM log_cursors`);
      const reached = readRows(found) as { node_id: string; segment: number; offset: number }[];
      await (isMerging ? mergeSmall : runCheckpoint)(connection, database.metadata);
      await syncDir(dirname(path));
      cursors = new Map(reached.map(({ node_id, segment, offset }) => [node_id, { segment, offset }]));
      waiting -= rows;
      isFirst = false;
      isMerged = isMerging;
      if (!isFull) return;
      const isBusy = performance.now() - fullAt < BUSY_MS;
      fullAt = performance.now();
      if (isBusy) await evict();
    });
  }

  let isRunning = false;

  /** Runs before the next write. After a failure a later checkpoint is tried; until then the event log is kept. */
  function runSoon(): void {
    if (isRunning) return;
    isRunning = true;
    void run({ isFull: true })
      .catch((cause: unknown) => onFailure(cause))
      .finally(() => {
        isRunning = false;
      });
  }

  return {
    wrote() {
      // A batch without rows also moves the cursor.
      waiting += 1;
      if (walBytes(path) > DUE_BYTES) runSoon();
    },
    stored(rows) {
      waiting += rows;
      if (waiting >= DUE_ROWS) runSoon();
    },
    run: () => run(),
    runAndMerge: () => run({ isMerging: true }),
    syncEntries: () => syncDir(dirname(path)),
    durable: (nodeId) => cursors.get(nodeId) ?? { segment: 0, offset: 0 },
  };
}

/**
 * FORCE waits where the plain statement fails: a read that is just ending cleans up after the last commit under the
 * same lock, and seven of ten checkpoints beside a loop of reports failed. It neither waits for running reads nor ends
 * them: it took 38 ms beside a read of 94 s.
 */
export async function runCheckpoint(connection: DuckDBConnection, metadata: MetadataCopy): Promise<void> {
  await metadata.refresh(connection);
  await connection.run("FORCE CHECKPOINT");
}

/**
 * A checkpoint ends the last row group of each table. The service makes one whenever no event came for two seconds:
 * without a merge a site with one event a minute got a row group of one row for each, 0.6 MB of file. One merge for each
 * table: it writes at most three full row groups again, where row groups of 122,880 rows took 3 to 6 s of a core.
 */
async function mergeSmall(connection: DuckDBConnection, metadata: MetadataCopy): Promise<void> {
  await connection.run("SET max_vacuum_tasks = 1");
  try {
    await runCheckpoint(connection, metadata);
  } finally {
    await connection.run("SET max_vacuum_tasks = 0");
  }
}

function walBytes(path: string): number {
  return statSync(`${path}.wal`, { throwIfNoEntry: false })?.size ?? 0;
}

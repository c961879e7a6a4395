/**
 * Checkpoints, which block writers for 0.6 s per 100,000 rows, are made between two batches: left to DuckDB, one ran inside somebody's commit and
 * took up to 8 s. Until one is made, stored rows are in the write-ahead log alone, whose directory entry DuckDB never syncs: so the event log is
 * needed up to the last checkpoint.
 */
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { LogPosition } from "../port.ts";
import type { Database } from "./database.ts";
import { readRows } from "./rows.ts";

/** Of stored rows: more make readers of fresh events wait longer than 1 s, fewer write the last row group more often. */
const DUE_ROWS = 100_000;

/** Of the write-ahead log, of which an opening reads 1 MB in 10 ms: what is written besides events (rollups, a rebuild) must not pile up in it. */
const DUE_BYTES = 64 * 1024 * 1024;

export interface Checkpointer {
  /** Something was committed. */
  wrote(): void;
  /** Rows were stored. Makes a checkpoint before the next batch when enough of them have come together. */
  stored(rows: number): void;
  /** Makes one now, unless nothing was stored since the last. */
  run(): Promise<void>;
  /** Up to where a node's log is in the last one. */
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

  async function run(): Promise<void> {
    await database.alone(async (connection) => {
      if (waiting === 0 && !isFirst) return;
      const rows = waiting;
      const found = await connection.runAndReadAll(`SELECT node_id, segment, "offset" FROM log_cursors`);
      const reached = readRows(found) as { node_id: string; segment: number; offset: number }[];
      await runCheckpoint(connection);
      await syncDir(dirname(path));
      cursors = new Map(reached.map(({ node_id, segment, offset }) => [node_id, { segment, offset }]));
      waiting -= rows;
      isFirst = false;
    });
  }

  let isRunning = false;

  /** Before the next write. One that fails is made with a later one: until then the event log is kept. */
  function runSoon(): void {
    if (isRunning) return;
    isRunning = true;
    void run()
      .catch((cause: unknown) => onFailure(cause))
      .finally(() => {
        isRunning = false;
      });
  }

  return {
    wrote() {
      // A batch without a row moves the cursor all the same.
      waiting += 1;
      if (walBytes(path) > DUE_BYTES) runSoon();
    },
    stored(rows) {
      waiting += rows;
      if (waiting >= DUE_ROWS) runSoon();
    },
    run,
    durable: (nodeId) => cursors.get(nodeId) ?? { segment: 0, offset: 0 },
  };
}

/**
 * By force, which waits where the plain one gives up: a read that is just ending cleans up behind the last commit under the same lock, and seven of ten
 * checkpoints beside a loop of reports failed. Reads that run are neither waited for nor ended: it took 38 ms beside one of 94 s.
 */
export async function runCheckpoint(connection: DuckDBConnection): Promise<void> {
  await connection.run("FORCE CHECKPOINT");
}

function walBytes(path: string): number {
  return statSync(`${path}.wal`, { throwIfNoEntry: false })?.size ?? 0;
}

async function syncDir(dir: string): Promise<void> {
  // Windows has no handle for a directory, and writes its entries through.
  if (process.platform === "win32") return;
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

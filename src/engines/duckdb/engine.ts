/** The engine in this process. process/server.ts serves it to other processes, and tests use it directly. */

import type { EncodedBatch } from "../batch.ts";
import { CursorMoved } from "../batch.ts";
import { openBlock } from "../event-block.ts";
import { type ChangedDays, createKeptReads, type KeptReads } from "../kept-reads.ts";
import { readParkedLines } from "../parked-row.ts";
import type { AnalyticsEngine, BatchStore } from "../port.ts";
import { type Checkpointer, createCheckpointer } from "./checkpoint.ts";
import { type Database, type DatabaseLimits, openDatabase, type ProcessEnds } from "./database.ts";
import { eraseWallet } from "./erase.ts";
import { importRows } from "./import-rows.ts";
import { removeImportedDays, writeImportedDays } from "./imported-days.ts";
import { listDirty, materialize } from "./materialize.ts";
import { findSchemaVersion, migrate, NEWEST_SCHEMA } from "./migrate.ts";
import { rebuild, rebuildOutdated } from "./rebuild.ts";
import { createRelations } from "./relations.ts";
import { replay } from "./replay.ts";
import { removeBefore, removeParkedBefore } from "./retention.ts";
import { rollUpHours } from "./roll-up-hours.ts";
import { type BatchOutcome, readCursor, storeBatch, writeCursor } from "./store-batch.ts";
import { removeWallets, writeWallets } from "./wallets.ts";

export interface LocalOptions extends ProcessEnds {
  readonly path: string;
  readonly limits: DatabaseLimits;
  readonly nowMs: () => number;
  /** A checkpoint failed; a later one is tried. */
  readonly onFailure?: (cause: unknown) => void;
}

export interface LocalEngine extends AnalyticsEngine {
  /** Interrupts all running queries. */
  interruptReads(): void;
  readonly database: Database;
}

export async function openLocalEngine(options: LocalOptions): Promise<LocalEngine> {
  const { path, limits, nowMs, onFailure } = options;
  const opened = await openDatabase(path, limits, options);
  const checkpoints = createCheckpointer(opened, path, onFailure);
  const reads = createKeptReads(opened.select, { bytes: limits.keptBytes });
  const database = notice(opened, checkpoints, reads);

  return {
    select: database.select,
    runUserQuery: database.runUserQuery,
    relations: createRelations(database),
    openBatchStore: async ({ nodeId }) => batchStore(database, checkpoints, nowMs, nodeId),
    replay: (events) => replay(database, events, nowMs()),
    async importRows(table, rows) {
      const stored = await importRows(database, table, rows, nowMs());
      checkpoints.stored(stored);
      return stored;
    },
    async writeWallets(rows) {
      await writeWallets(database, rows);
      await checkpoints.syncEntries();
    },
    writeImportedDays: (rows) => writeImportedDays(database, rows),
    schema: {
      migrate: (options) => migrate(database, options),
      version: () => findSchemaVersion(database),
      newest: NEWEST_SCHEMA,
    },
    maintenance: {
      rebuildOutdated: (signal) => rebuildOutdated(database, signal),
      listDirty: (atMs, withoutBots) => listDirty(database, atMs, withoutBots),
      materialize: (partitions, signal) => materialize(database, partitions, signal),
      rollUpHours: (wanted, signal) => rollUpHours(database, wanted, signal),
      // Every change is one transaction, so that there are no superseded revisions.
      collectGarbage: async () => undefined,
      removeBefore: (wanted, signal) => removeBefore(database, wanted, signal),
      removeParkedBefore: (day, signal) => removeParkedBefore(database, day, signal),
      async eraseWallet(wallet) {
        const erased = await eraseWallet(database, wallet, nowMs());
        await checkpoints.syncEntries();
        // What the write-ahead log and the event log still have of it goes with a checkpoint, this one or a later one.
        await checkpoints.run().catch((cause: unknown) => onFailure?.(cause));
        return erased;
      },
      removeWallets: (projects) => removeWallets(database, projects),
      removeImportedDays: (of) => removeImportedDays(database, of),
      rebuild: (onProgress, signal) => rebuild(database, onProgress, signal),
    },
    interruptReads: database.interruptReads,
    database,
    ping: async () => undefined,
    async close() {
      await checkpoints.run().catch(() => undefined);
      await database.close();
    },
  };
}

/**
 * Tells who must know of every write. A write may change everything, unless its result says which days, as that of a
 * batch does.
 */
function notice(opened: Database, checkpoints: Checkpointer, reads: KeptReads): Database {
  const noticed =
    (run: Database["write"]): Database["write"] =>
    async (work) => {
      let days: readonly ChangedDays[] | undefined;
      try {
        const done = await run(work);
        days = changedDays(done);
        checkpoints.wrote();
        return done;
      } finally {
        // Also after a failure: the commit may have failed after it was written.
        reads.changed(days);
      }
    };
  return {
    ...opened,
    select: reads.select,
    write: noticed(opened.write),
    store: noticed(opened.store),
    alone: (work) => opened.alone(work).finally(() => reads.changed()),
  };
}

function changedDays(result: unknown): readonly ChangedDays[] | undefined {
  return (result as Partial<Extract<BatchOutcome, { kind: "stored" }>> | undefined)?.changed;
}

function batchStore(database: Database, checkpoints: Checkpointer, nowMs: () => number, nodeId: string): BatchStore {
  return {
    form: "columns",
    position: async () => ({ done: await database.alone((connection) => readCursor(connection, nodeId)) }),
    async store(batch, { from, to }) {
      const outcome = await storeBatch(database, { nodeId, from, to, ...decode(batch) }, nowMs());
      if (outcome.kind === "moved")
        throw new CursorMoved(`the log is stored up to ${outcome.cursor.segment}.${outcome.cursor.offset}`);
      checkpoints.stored(batch.eventCount);
      return { ledger: outcome.ledger, durable: checkpoints.durable(nodeId) };
    },
    async flush() {
      await checkpoints.runAndMerge();
      return checkpoints.durable(nodeId);
    },
    moveTo: (position) => database.write((connection) => writeCursor(connection, nodeId, position)),
    close: async () => undefined,
  };
}

function decode({ form, events, parked, ledger }: EncodedBatch) {
  if (form !== "columns") throw new Error("DuckDB stores columns");
  return { events: events.map(openBlock), parked: readParkedLines(parked), ledger };
}

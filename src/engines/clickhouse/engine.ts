/** The engine port, implemented on a ClickHouse server or cluster. */
import { MARGINS } from "../../materialize/margins.ts";
import { createKeptReads, KEPT_BYTES } from "../kept-reads.ts";
import type { AnalyticsEngine } from "../port.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { type Clickhouse, openDatabase } from "./database.ts";
import { eraseWallet } from "./erase.ts";
import { importRows } from "./import-rows.ts";
import { removeImportedDays, writeImportedDays } from "./imported-days.ts";
import { writeJsonFunctions } from "./json-functions.ts";
import { createMarks } from "./mark-dirty.ts";
import { listDirty, materialize } from "./materialize.ts";
import { findSchemaVersion, migrate, NEWEST_SCHEMA } from "./migrate.ts";
import { rebuild } from "./rebuild.ts";
import { createRelations } from "./relations.ts";
import { replay } from "./replay.ts";
import { removeBefore, removeParkedBefore } from "./retention.ts";
import { CLUSTER_SETTINGS } from "./settings.ts";
import { openBatchStore } from "./store-batch.ts";
import { createRunUserQuery } from "./user-sql/run.ts";
import { removeWallets, writeWallets } from "./wallets.ts";

export interface ClickhouseOptions {
  /** May contain the user, the password and the database (`sextant` by default). */
  readonly url: string;
  /** The name of a cluster; tables are then sharded and replicated. */
  readonly cluster?: string | undefined;
  /** The time and memory limits of a query. 0 bytes: the server's own limit. */
  readonly queryMs?: number;
  readonly queryMemoryBytes?: number;
  /** Memory for answers that are kept. */
  readonly keptBytes?: number;
}

const QUERY_MS = 30_000;

export function connectClickhouse(options: ClickhouseOptions): AnalyticsEngine {
  const { url, cluster, queryMs = QUERY_MS, queryMemoryBytes = 0, keptBytes } = options;
  const settings = cluster === undefined ? {} : CLUSTER_SETTINGS;
  return createEngine(openDatabase({ url, cluster, queryMs, queryMemoryBytes, settings }), undefined, keptBytes);
}

export interface Timing {
  readonly nowMs: () => number;
  /** How long a partition is not materialized after a mark. */
  readonly settleMs: number;
}

export function createEngine(
  clickhouse: Clickhouse,
  { nowMs, settleMs }: Timing = { nowMs: Date.now, settleMs: MARGINS.settleMs },
  keptBytes = KEPT_BYTES,
): AnalyticsEngine {
  const target = { clickhouse, marks: createMarks(clickhouse, nowMs) };
  const relations = createRelations(clickhouse);
  const reads = createKeptReads((sql, options) => clickhouse.select(writeJsonFunctions(sql), options), {
    bytes: keptBytes,
    // A report may be as old as its read of the catalogue, and no older for the company.
    unsettledMs: MARGINS.sharedReadMs,
  });
  return {
    select: reads.select,
    runUserQuery: createRunUserQuery(clickhouse, relations),
    relations,
    openBatchStore: (options) => openBatchStore(target, options),
    replay: (events) => replay(target, events),
    importRows: (table, rows) => importRows(target, table, rows),
    writeWallets: (rows) => writeWallets(clickhouse, rows),
    writeImportedDays: (rows) => writeImportedDays(clickhouse, rows),
    schema: {
      migrate: (options) => migrate(clickhouse, options),
      version: () => findSchemaVersion(clickhouse),
      newest: NEWEST_SCHEMA,
    },
    maintenance: {
      // Revisions of an older layout do not count: their sessions are computed from events.
      rebuildOutdated: async () => undefined,
      listDirty: (atMs, withoutBots) => listDirty(clickhouse, settleMs, atMs, withoutBots),
      materialize: (partitions, signal) => materialize(clickhouse, settleMs, partitions, signal),
      // A cluster has the cores to read a running day from its events.
      rollUpHours: async () => 0,
      collectGarbage: (signal) => collectGarbage(clickhouse, signal),
      removeBefore: (limits, signal) => removeBefore(clickhouse, limits, settleMs, signal),
      removeParkedBefore: (day, signal) => removeParkedBefore(clickhouse, day, signal),
      eraseWallet: (wallet, signal) => eraseWallet(target, wallet, signal),
      removeWallets: (projects, signal) => removeWallets(clickhouse, projects, signal),
      removeImportedDays: (of, signal) => removeImportedDays(clickhouse, of, signal),
      rebuild: (onProgress, signal) => rebuild(clickhouse, onProgress, signal),
    },
    ping: () => clickhouse.ping(),
    close: () => clickhouse.close(),
  };
}

/** The port over a ClickHouse, or a cluster of them. */
import { MARGINS } from "../../materialize/margins.ts";
import type { AnalyticsEngine } from "../port.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { openHttp } from "./http.ts";
import { importRows } from "./import-rows.ts";
import { createMarks } from "./mark-dirty.ts";
import { listDirty, materialize } from "./materialize.ts";
import { findSchemaVersion, migrate, NEWEST_SCHEMA } from "./migrate.ts";
import type { Settings } from "./params.ts";
import { rebuild } from "./rebuild.ts";
import { createRelations } from "./relations.ts";
import { replay } from "./replay.ts";
import { removeBefore, removeParkedBefore } from "./retention.ts";
import { CLUSTER_SETTINGS } from "./settings.ts";
import { openBatchStore } from "./store-batch.ts";

export interface ClickhouseOptions {
  /** May name the user, the password and the database (`sextant` by default). */
  readonly url: string;
  /** Of a cluster: its tables are then sharded and replicated. */
  readonly cluster?: string | undefined;
  /** The longest that a query may take, and the memory that it may use (0: what the server lets it). */
  readonly queryMs?: number;
  readonly queryMemoryBytes?: number;
  /** Go with every statement. */
  readonly settings?: Settings;
  readonly nowMs?: () => number;
  /** How long a partition is left alone after it was marked. */
  readonly settleMs?: number;
}

const QUERY_MS = 30_000;

export function connectClickhouse({
  url,
  cluster,
  queryMs = QUERY_MS,
  queryMemoryBytes = 0,
  settings = {},
  nowMs = Date.now,
  settleMs = MARGINS.settleMs,
}: ClickhouseOptions): AnalyticsEngine {
  const all = { ...(cluster === undefined ? {} : CLUSTER_SETTINGS), ...settings };
  const clickhouse = openHttp({ url, cluster, queryMs, queryMemoryBytes, settings: all });
  const target = { clickhouse, marks: createMarks(clickhouse, nowMs) };
  return {
    select: (sql, options) => clickhouse.select(sql, options),
    relations: createRelations(clickhouse),
    openBatchStore: (options) => openBatchStore(target, options),
    replay: (events) => replay(target, events),
    importRows: (table, rows) => importRows(target, table, rows),
    schema: {
      migrate: (options) => migrate(clickhouse, options),
      version: () => findSchemaVersion(clickhouse),
      newest: NEWEST_SCHEMA,
    },
    maintenance: {
      listDirty: (atMs) => listDirty(clickhouse, settleMs, atMs),
      materialize: (partitions, signal) => materialize(clickhouse, settleMs, partitions, signal),
      collectGarbage: (signal) => collectGarbage(clickhouse, signal),
      removeBefore: (limits, signal) => removeBefore(clickhouse, limits, settleMs, signal),
      removeParkedBefore: (day, signal) => removeParkedBefore(clickhouse, day, signal),
      rebuild: (onProgress, signal) => rebuild(clickhouse, onProgress, signal),
    },
    ping: () => clickhouse.ping(),
    close: () => clickhouse.close(),
  };
}

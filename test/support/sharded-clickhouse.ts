/**
 * The tables of a cluster with two shards, in one ClickHouse. It runs real Distributed tables over two shards that are
 * both itself. A filter on every `_local` table leaves each shard its own rows, where a Distributed insert would have
 * sent them. ON CLUSTER and replication are removed from the statements, because one server cannot do them. Its
 * settings must have a cluster `main`, as chdb's do (test/support/chdb).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clickhouse, openDatabase } from "../../src/engines/clickhouse/database.ts";
import { createEngine } from "../../src/engines/clickhouse/engine.ts";
import { schemaStatements } from "../../src/engines/clickhouse/migrate.ts";
import { CLUSTER_SETTINGS } from "../../src/engines/clickhouse/settings.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { startClickHouse } from "./clickhouse.ts";
import { keepStores } from "./clickhouse-engine.ts";

const CLUSTER = "main";
const PATIENCE_MS = 600_000;

export interface ShardedClickhouse {
  readonly engine: AnalyticsEngine;
  /** Distributed tables, without `_local`. */
  readonly tables: readonly string[];
  /** All rows in every `_local` table, as a server without the filters shows them. */
  readonly plain: Clickhouse;
  stop(): Promise<void>;
}

export async function startShardedClickhouse(nowMs: () => number): Promise<ShardedClickhouse> {
  const server = await startClickHouse();
  const dir = mkdtempSync(join(tmpdir(), "clickhouse-cursors-"));
  const place = Object.assign(new URL(server.url), { username: server.username, password: server.password });
  place.pathname = server.database;
  const tables = findShardedTables(server.database);
  const common = { url: place.href, queryMs: PATIENCE_MS, queryMemoryBytes: 0 };
  const filters = { additional_table_filters: filtersOf(server.database, tables) };
  // The blocks of both shards go into one table under one token, and the second would be dropped as a copy of the first.
  // On a cluster each shard has a table of its own, and a token is known only there.
  const settings = { ...CLUSTER_SETTINGS, prefer_localhost_replica: 1, deduplicate_insert: "disable", ...filters };
  const clickhouse = withoutCluster(openDatabase({ ...common, cluster: CLUSTER, settings }));
  const engine = createEngine(clickhouse, { nowMs, settleMs: 0 });
  await engine.schema.migrate();
  const plain = openDatabase({ ...common, settings: {} });
  const { openBatchStore, closeAll } = keepStores(engine, dir);
  return {
    engine: { ...engine, openBatchStore },
    tables,
    plain,
    async stop() {
      await closeAll();
      await engine.close();
      await plain.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function findShardedTables(database: string): string[] {
  return schemaStatements({ database, cluster: CLUSTER }).flatMap(
    (sql) => /^CREATE TABLE IF NOT EXISTS (\w+)_local /.exec(sql)?.[1] ?? [],
  );
}

/** shardNum() is 0 outside of a distributed query. */
function filtersOf(database: string, tables: readonly string[]): string {
  const own = "shardNum() IN (0, cityHash64(project_id) % 2 + 1)";
  return `{${tables.map((table) => `'${database}.${table}_local':'${own}'`).join(",")}}`;
}

function withoutCluster(clickhouse: Clickhouse): Clickhouse {
  const strip = (sql: string) =>
    sql.replace(` ON CLUSTER '${CLUSTER}'`, "").replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, "$1(");
  return { ...clickhouse, command: (sql, options) => clickhouse.command(strip(sql), options) };
}

/**
 * The tables of a cluster with two shards, in one embedded engine. The engine plans and runs real Distributed tables over two shards
 * that are both itself; a filter on every `_local` table leaves each shard the rows that belong there, which is where a
 * Distributed insert has sent them. What one engine cannot be is left out of the statements: ON CLUSTER and replication.
 */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { BUILT_TABLES } from "../../src/warehouse/build-day.ts";
import { CLUSTER_SETTINGS } from "../../src/warehouse/cluster-settings.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { temporaryDir } from "./engine.ts";
import { startProcess } from "./process.ts";

const HOST = resolve(import.meta.dirname, "sharded-host.ts");
const CLUSTER = "main";
const DATABASE = "sextant";
const SHARDED = ["events", "parked_events", "ledger", "event_days", "closed_days", ...BUILT_TABLES];

export interface ShardedEngine {
  engine: AnalyticsEngine;
  cluster: string;
  /** As an engine without the filters sees it: everything, in every `_local` table. */
  plain: AnalyticsEngine;
  stop(): Promise<void>;
}

export async function startShardedEngine(): Promise<ShardedEngine> {
  const dir = temporaryDir();
  const password = randomBytes(12).toString("hex");
  // Every running query holds a thread of the pool, and the files they read and write need others.
  const host = startProcess([HOST, dir, password], { UV_THREADPOOL_SIZE: "16" });
  const [, port] = await host.waitForLine(/port (\d+)/);
  const target = { url: () => `http://127.0.0.1:${port}`, username: "sextant", password, database: DATABASE };
  const settings = { ...CLUSTER_SETTINGS, prefer_localhost_replica: 1, additional_table_filters: filters() };
  const engine = withoutCluster(connectAnalytics({ ...target, settings }));
  const plain = connectAnalytics(target);
  await migrateWarehouse(engine, { database: DATABASE, cluster: CLUSTER });
  return {
    engine,
    cluster: CLUSTER,
    plain,
    async stop() {
      await engine.close();
      await plain.close();
      await host.kill("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** shardNum() is 0 outside of a distributed query. */
function filters(): string {
  const own = "shardNum() IN (0, cityHash64(project_id) % 2 + 1)";
  return `{${SHARDED.map((table) => `'${DATABASE}.${table}_local':'${own}'`).join(",")}}`;
}

function withoutCluster(engine: AnalyticsEngine): AnalyticsEngine {
  const strip = (sql: string) =>
    sql.replace(` ON CLUSTER '${CLUSTER}'`, "").replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, "$1(");
  return { ...engine, command: (sql, options) => engine.command(strip(sql), options) };
}

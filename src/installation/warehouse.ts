import type { AnalyticsEngine } from "../engines/port.ts";
import { QUIET } from "../lib/tolerate.ts";
import { openAnalytics, openRunningAnalytics } from "./analytics-engine.ts";
import type { Config } from "./config.ts";
import { DataDirInUse, type DataPaths, lockDataDir } from "./data-dir.ts";

export interface Warehouse {
  engine: AnalyticsEngine;
  close(): Promise<void>;
}

/**
 * For a command that changes no schema: the configured ClickHouse, or the engine of the service that runs here. If no
 * service runs, an engine is started for the command.
 */
export async function openWarehouse(config: Config, paths: DataPaths): Promise<Warehouse> {
  const lock = config.CLICKHOUSE_URL === undefined ? tryLock(paths) : undefined;
  if (lock === undefined) {
    const engine = await openRunningAnalytics(config, paths);
    return { engine, close: () => engine.close() };
  }
  try {
    const analytics = await openAnalytics(config, paths, QUIET, { prepare: async () => undefined });
    return {
      engine: analytics.engine,
      async close() {
        await analytics.close();
        lock.release();
      },
    };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

function tryLock(paths: DataPaths): ReturnType<typeof lockDataDir> | undefined {
  try {
    return lockDataDir(paths);
  } catch (cause) {
    if (cause instanceof DataDirInUse) return undefined;
    throw cause;
  }
}

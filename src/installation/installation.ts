import type { AnalyticsEngine } from "../engines/port.ts";
import { QUIET } from "../lib/tolerate.ts";
import type { Config } from "./config.ts";
import { openExistingControl, openStore } from "./control-store.ts";
import { type DataPaths, dataPaths } from "./data-dir.ts";
import type { Warehouse } from "./warehouse.ts";

/**
 * Settings, data directory, and the functions that open their stores, for commands that run beside the service or
 * without it.
 */
export interface Installation {
  readonly config: Config;
  readonly paths: DataPaths;
  /** The control store, neither migrated nor checked. */
  openStore(): ReturnType<typeof openStore>;
  /** The control store with its secret, after a check of its schema version and of the secret. */
  openControl(older: "accepted" | "refused"): ReturnType<typeof openExistingControl>;
  /** The engine of the service that runs here, the configured ClickHouse, or an engine started for this command. */
  openWarehouse(): Promise<Warehouse>;
  /** The same without starting an engine. */
  openRunningEngine(): Promise<AnalyticsEngine>;
  /** Starts an embedded engine for a fresh installation, runs `prepare` on it and closes it. */
  prepareEngine(prepare: (engine: AnalyticsEngine) => Promise<void>): Promise<void>;
}

/** A command loads the engines only when it needs one: the others start 0.1 s sooner. */
export function createInstallation(config: Config): Installation {
  const paths = dataPaths(config.DATA_DIR);
  return {
    config,
    paths,
    openStore: () => openStore(config),
    openControl: (older) => openExistingControl(config, older),
    async openWarehouse() {
      const { openWarehouse } = await import("./warehouse.ts");
      return openWarehouse(config, paths);
    },
    async openRunningEngine() {
      const { openRunningAnalytics } = await import("./analytics-engine.ts");
      return openRunningAnalytics(config, paths);
    },
    async prepareEngine(prepare) {
      const { openAnalytics } = await import("./analytics-engine.ts");
      const analytics = await openAnalytics(config, paths, QUIET, { prepare });
      await analytics.close();
    },
  };
}

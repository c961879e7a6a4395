import type { ReadyCheck } from "../contract/ready-check.ts";
import { checkWritable } from "../control/check-writable.ts";
import { releaseAbandonedKeys } from "../control/idempotency.ts";
import type { ControlStore } from "../control/store.ts";
import { readStoreClock } from "../control/store-clock.ts";
import type { EmbeddedEngine } from "../engines/duckdb/process/supervisor.ts";
import { readEngineClock } from "../engines/engine-clock.ts";
import { type Analytics, openAnalytics } from "../installation/analytics-engine.ts";
import type { Config } from "../installation/config.ts";
import { openControl } from "../installation/control-store.ts";
import type { DataPaths } from "../installation/data-dir.ts";
import { systemClock } from "../lib/clock.ts";
import type { ServiceLog } from "./log.ts";
import type { Stopper } from "./stopper.ts";

export interface Stores {
  store: ControlStore;
  secret: Buffer;
  analytics: Analytics;
  checks: readonly ReadyCheck[];
  /** The clocks of stores on other machines. */
  clocks: readonly (() => Promise<number>)[];
  /** For the banner. */
  describe: string;
  isUnavailable(cause: unknown): boolean;
}

/** Both stores, at their newest schema. */
export async function openStores(
  config: Config,
  paths: DataPaths,
  embedded: Promise<EmbeddedEngine> | undefined,
  { log, stopper }: { log: ServiceLog; stopper: Stopper },
): Promise<Stores> {
  const { store, secret, close } = await openControl(config, log);
  stopper.add("control store", close);
  await releaseAbandonedKeys(store);
  // An ingest node must accept events without the engine: all nodes may be restarted while it is unavailable.
  const mayBeUnavailable = config.CLICKHOUSE_URL !== undefined && config.ROLES.every((role) => role === "ingest");
  const analytics = await openAnalytics(config, paths, log, { mayBeUnavailable, embedded });
  stopper.add("analytics engine", analytics.close);
  return {
    store,
    secret,
    analytics,
    checks: [
      // Write keys are in memory, so events are accepted while the control store is unavailable.
      { name: "control store", neededBy: ["api", "worker"], check: () => checkWritable(store, systemClock) },
      // Without the engine only reports are refused; the rest of the API works.
      { name: "analytics engine", neededBy: ["worker"], check: analytics.check },
    ],
    clocks: [
      ...(store.backend.sharedBetweenNodes ? [() => readStoreClock(store)] : []),
      ...(config.CLICKHOUSE_URL === undefined ? [] : [() => readEngineClock(analytics.engine)]),
    ],
    describe: `${store.name === "sqlite" ? "SQLite" : "PostgreSQL"}, ${analytics.describe}`,
    isUnavailable: (cause) => store.isUnavailable(cause) || analytics.isUnavailable(cause),
  };
}

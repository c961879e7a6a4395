import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { dataPaths, findRunning } from "../../src/engines/data-dir.ts";
import { migrateWarehouse } from "../../src/warehouse/migrate.ts";
import { startTestEngine, type TestEngine } from "./engine.ts";

/** A warehouse of its own: a real engine with our schema. */
export interface TestWarehouse {
  readonly host: TestEngine;
  readonly engine: AnalyticsEngine;
  stop(): Promise<void>;
}

export async function startTestWarehouse(): Promise<TestWarehouse> {
  const host = await startTestEngine();
  const { username, password } = host.engine;
  const engine = connectAnalytics({ url: () => host.engine.url(), username, password, database: "sextant" });
  await migrateWarehouse(engine, { database: "sextant" });
  return {
    host,
    engine,
    async stop() {
      await engine.close();
      await host.stop();
    },
  };
}

/** The embedded engine of the service that runs on a data directory, asked by an ordinary client beside it. */
export function connectWarehouse(dataDir: string): AnalyticsEngine {
  const running = findRunning(dataPaths(dataDir))?.engine;
  if (running === undefined) throw new Error("no service with an embedded engine runs there");
  return connectAnalytics({ ...running, url: () => running.url, database: "sextant" });
}

export async function selectNumber(engine: AnalyticsEngine, sql: string): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(sql);
  return Number(data[0]?.n ?? 0);
}

import { type AnalyticsEngine, connectAnalytics } from "../../src/engines/analytics.ts";
import { dataPaths, findRunning } from "../../src/engines/data-dir.ts";

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

import type { AnalyticsEngine } from "../engines/port.ts";

/** Of a ClickHouse; the embedded engine has our own. */
export async function readEngineClock(engine: Pick<AnalyticsEngine, "select">): Promise<number> {
  const { rows } = await engine.select<{ n: number }>("SELECT toUnixTimestamp64Milli(now64(3)) AS n");
  return rows[0]?.n ?? 0;
}

import type { AnalyticsEngine } from "./port.ts";

/** The clock of a ClickHouse server; the embedded engine uses our own. */
export async function readEngineClock(engine: Pick<AnalyticsEngine, "select">): Promise<number> {
  const { rows } = await engine.select<{ n: number }>("SELECT toUnixTimestamp64Milli(now64(3)) AS n");
  return rows[0]?.n ?? 0;
}

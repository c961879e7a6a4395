import { connectDuckdb } from "../../src/engines/duckdb/client.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { dataPaths, findRunning } from "../../src/installation/data-dir.ts";

export { selectNumber } from "./local-engine.ts";

/** The embedded engine of the service that runs on a data directory, asked by a client beside it, as commands do. */
export function connectWarehouse(dataDir: string): AnalyticsEngine {
  const paths = dataPaths(dataDir);
  const running = findRunning(paths)?.engine;
  if (running === undefined) throw new Error("no service with an embedded engine runs there");
  // Asked each time: an engine that was killed may be back at another address.
  return connectDuckdb({ url: () => findRunning(paths)?.engine?.url ?? running.url, token: running.token });
}

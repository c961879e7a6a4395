import { connectDuckdb } from "../../src/engines/duckdb/process/client.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { dataPaths, findRunning } from "../../src/installation/data-dir.ts";

export { selectNumber } from "./local-engine.ts";

/** A client of the embedded engine of the service that runs on a data directory, as commands use it. */
export function connectWarehouse(dataDir: string): AnalyticsEngine {
  const paths = dataPaths(dataDir);
  const running = findRunning(paths)?.engine;
  if (running === undefined) throw new Error("no service with an embedded engine runs there");
  // Read each time: an engine that was killed may be back at another address.
  return connectDuckdb({ url: () => findRunning(paths)?.engine?.url ?? running.url, token: running.token });
}

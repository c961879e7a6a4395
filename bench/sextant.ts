import { connectDuckdb } from "../src/engines/duckdb/process/client.ts";
import { startEmbeddedEngine } from "../src/engines/duckdb/process/supervisor.ts";
import { dataPaths } from "../src/installation/data-dir.ts";
import { type BenchService, startBenchService } from "./bench-service.ts";
import type { OnEnd } from "./run-bench.ts";

/** The service of an ingest benchmark: no rate limits, and its events are counted at the end. */
export interface Sextant extends BenchService {
  /** Stops the service, then counts the events with an engine on its directory. */
  stopAndCount(): Promise<{ rows: number; distinct: number }>;
}

export const UNLIMITED_EVENTS = {
  SEXTANT_EVENTS_RATE_PER_SECOND: "1000000",
  SEXTANT_EVENTS_RATE_BURST: "10000000",
} as const;

export async function startSextant(onEnd: OnEnd): Promise<Sextant> {
  const service = await startBenchService(UNLIMITED_EVENTS, onEnd);
  return {
    ...service,
    async stopAndCount() {
      await service.process.kill("SIGTERM");
      return countRows(dataPaths(service.dataDir).engine);
    },
  };
}

async function countRows(dir: string): Promise<{ rows: number; distinct: number }> {
  const quiet = { info: () => undefined, warn: () => undefined };
  const engine = await startEmbeddedEngine({ dir, log: quiet });
  const analytics = connectDuckdb({ url: () => engine.url(), token: engine.token });
  try {
    const answer = await analytics.select<{ rows: number; distinct: number }>(
      "SELECT count(*) AS rows, count(DISTINCT hash(message_id)) AS distinct FROM events",
    );
    return answer.rows[0] ?? { rows: 0, distinct: 0 };
  } finally {
    await analytics.close();
    await engine.stop();
  }
}

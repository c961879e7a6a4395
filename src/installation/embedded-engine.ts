/**
 * Starts DuckDB's process with the limits of the settings. Apart from the client, which takes 0.3 s to load: a start of
 * the service loads it while that process starts.
 */
import { type EmbeddedEngine, type EngineLog, startEmbeddedEngine } from "../engines/duckdb/process/supervisor.ts";
import type { Config } from "./config.ts";
import type { DataPaths } from "./data-dir.ts";

/** The engine cannot be used; the message is one line for the person who starts the service. */
export class EngineStartError extends Error {
  override readonly name = "EngineStartError";
}

export async function startEmbedded(config: Config, paths: DataPaths, log: EngineLog): Promise<EmbeddedEngine> {
  try {
    return await startEmbeddedEngine({
      dir: paths.engine,
      log,
      limits: {
        queryMs: config.QUERY_TIMEOUT_MS,
        memoryBytes: config.QUERY_MEMORY_MB * 1024 * 1024,
        runningQueries: config.QUERY_CONCURRENCY,
        userQueries: config.SQL_CONCURRENCY,
        keptBytes: config.KEPT_ANSWERS_MB * 1024 * 1024,
      },
    });
  } catch (cause) {
    throw new EngineStartError((cause as Error).message.split("\n")[0], { cause });
  }
}

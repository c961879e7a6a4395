import type { DatabaseLimits } from "./database.ts";

/** What the engine's process may use. */
export interface EngineLimits extends DatabaseLimits {
  /**
   * Of the whole process. DuckDB's own limit is soft: ordinary queries take up to twice of it, and a hostile one took 24 GB under 500 MB. Beyond this
   * the queries that run are ended, and then the process.
   */
  readonly processBytes: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  queryMs: 30_000,
  memoryBytes: 1024 ** 3,
  runningQueries: 4,
  processBytes: 4 * 1024 ** 3,
};

import type { DatabaseLimits } from "./database.ts";

/** The limits of the engine's process. */
export interface EngineLimits extends DatabaseLimits {
  /**
   * The memory limit of the whole process. DuckDB's own limit is soft: ordinary queries use up to twice as much, and a
   * hostile one used 24 GB with a limit of 500 MB. Above this limit the running queries are ended, and then the
   * process.
   */
  readonly processBytes: number;
}

export const DEFAULT_LIMITS: EngineLimits = {
  queryMs: 30_000,
  memoryBytes: 1024 ** 3,
  runningQueries: 4,
  processBytes: 4 * 1024 ** 3,
};

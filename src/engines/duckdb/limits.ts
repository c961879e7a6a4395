import { KEPT_BYTES } from "../kept-reads.ts";
import type { DatabaseLimits } from "./database.ts";

/** The limits of the engine's process. */
export type EngineLimits = DatabaseLimits;

export const DEFAULT_LIMITS: EngineLimits = {
  queryMs: 30_000,
  memoryBytes: 1024 ** 3,
  runningQueries: 4,
  userQueries: 3,
  processBytes: 4 * 1024 ** 3,
  keptBytes: KEPT_BYTES,
};

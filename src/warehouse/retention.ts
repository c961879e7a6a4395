/**
 * What projects no longer keep, by whole days of `timestamp`, as reports count them. A day leaves the reports at midnight
 * (materialize/kept-days.ts) and is removed a while later, so that no report sees it half gone.
 */
import { LIMITS } from "../contract/limits.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { firstKeptDay } from "../materialize/kept-days.ts";
import { MARGINS } from "../materialize/margins.ts";

export interface ProjectLimit {
  projectId: string;
  days: number;
}

export interface RetentionOptions {
  nowMs: number;
  /** Ends a run between two slices; the next one does the rest. */
  signal?: AbortSignal;
}

type Engine = Pick<AnalyticsEngine, "maintenance">;

/** Resolves with the number of events that were removed, with all that is derived from them, their ledger and what is parked. */
export async function removeExpiredEvents(
  engine: Engine,
  limits: readonly ProjectLimit[],
  options: RetentionOptions,
): Promise<number> {
  if (limits.length === 0) return 0;
  const nowMs = options.nowMs - MARGINS.removedAfterMs;
  const firstDays = limits.map(({ projectId, days }) => ({ projectId, firstDay: firstKeptDay(days, nowMs) }));
  return engine.maintenance.removeBefore(firstDays, signalOf(options));
}

/** Resolves with the number of parked events that were removed. */
export async function removeOldParked(engine: Engine, options: RetentionOptions): Promise<number> {
  const day = dayOf(options.nowMs - LIMITS.keptDays * DAY_MS);
  return engine.maintenance.removeParkedBefore(day, signalOf(options));
}

function signalOf({ signal }: RetentionOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}

/**
 * Removes expired events, by whole days of `timestamp`, as reports count them. A day leaves the reports at midnight
 * (materialize/kept-days.ts) and is removed later, so that no report reads a half removed day.
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
  /** Aborts a run between two slices; the next run continues. */
  signal?: AbortSignal;
}

/** The last day that an event can have. */
const AFTER_ALL = "2149-06-05";

type Engine = Pick<AnalyticsEngine, "maintenance">;

/**
 * Also removes their derived data, their ledger and expired parked events. Resolves with the number of removed events.
 */
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

/** Removes all days of deleted projects, what they say about wallets, and imported days. Resolves with the number of removed events. */
export async function removeDeletedProjects(
  engine: Engine,
  projects: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (projects.length === 0) return 0;
  await engine.maintenance.removeWallets(projects, signal);
  for (const projectId of projects) await engine.maintenance.removeImportedDays({ projectId }, signal);
  return engine.maintenance.removeBefore(
    projects.map((projectId) => ({ projectId, firstDay: AFTER_ALL })),
    signal,
  );
}

/** Resolves with the number of removed parked events. */
export async function removeOldParked(engine: Engine, options: RetentionOptions): Promise<number> {
  const day = dayOf(options.nowMs - LIMITS.keptDays * DAY_MS);
  return engine.maintenance.removeParkedBefore(day, signalOf(options));
}

function signalOf({ signal }: RetentionOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}

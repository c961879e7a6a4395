import { availableParallelism } from "node:os";
import { ApiError } from "../../contract/errors.ts";
import { createSemaphore, QueueFull, WaitTimeout } from "../../lib/semaphore.ts";

/**
 * Query slots: a semaphore with one key per workspace. Further reports wait in order, in bounded number and for a
 * bounded time, so that a dashboard with fifty charts neither hangs nor takes the engine from others.
 */
export interface QuerySlots {
  /** Resolves with a function that releases the slot and may be called more than once. */
  acquire(workspaceId: string, signal: AbortSignal): Promise<() => void>;
  /** The current numbers, over all workspaces. A slot that rests is running. */
  count(): { running: number; waiting: number };
}

export interface SlotLimits {
  running: number;
  waiting: number;
  waitMs: number;
  /** Age of the oldest event that is not in the warehouse yet. */
  lagSeconds?: () => number;
}

/**
 * Reports give way to events: while the log lags this much, a workspace runs one report at a time, and all together one
 * for each core. Storing takes 1.4 of two cores at full load; with four reports beside it a third of its rate was left.
 * At half load events were in the warehouse after 1.7 to 2.1 s (p99), so that reports there give way rarely.
 */
const GIVE_WAY_SECONDS = 2;
/**
 * Meanwhile a slot rests as long as its report took, so that half of the time belongs to the writer. Without the rest it
 * kept 0.51 and 0.64 of its rate, with it 0.55 to 0.89 (six turns on a busy machine).
 */
const LONGEST_REST_MS = 2_000;

export function createQuerySlots({ running, waiting, waitMs, lagSeconds = () => 0 }: SlotLimits): QuerySlots {
  const isLate = () => lagSeconds() >= GIVE_WAY_SECONDS;
  const unlessLate = (usual: number, late: number) => () => (isLate() ? late : usual);
  const semaphore = createSemaphore({
    perKey: unlessLate(running, 1),
    total: unlessLate(Number.POSITIVE_INFINITY, availableParallelism()),
    waitingPerKey: waiting,
    waitMs,
  });
  return {
    async acquire(workspaceId, signal) {
      try {
        const release = await semaphore.acquire(workspaceId, signal);
        const startedAt = performance.now();
        return () => {
          if (!isLate()) release();
          else setTimeout(release, Math.min(performance.now() - startedAt, LONGEST_REST_MS)).unref();
        };
      } catch (cause) {
        throw toApiError(cause);
      }
    },
    count: () => semaphore.count(),
  };
}

function toApiError(cause: unknown): unknown {
  if (cause instanceof QueueFull)
    return new ApiError("TOO_MANY_REQUESTS", "Too many reports of this workspace are waiting already", {
      headers: { "Retry-After": "1" },
    });
  if (cause instanceof WaitTimeout)
    return new ApiError("SERVICE_UNAVAILABLE", "The reports of this workspace take too long at the moment", {
      headers: { "Retry-After": "2" },
    });
  return cause;
}

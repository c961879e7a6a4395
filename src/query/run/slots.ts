import { ApiError } from "../../contract/errors.ts";
import { createSemaphore, QueueFull, WaitTimeout } from "../../lib/semaphore.ts";

/**
 * Query slots: a semaphore with one key per workspace. Further reports wait in order, in bounded number and for a
 * bounded time, so that a dashboard with fifty charts neither hangs nor takes the engine from others.
 */
export interface QuerySlots {
  /** Resolves with a function that releases the slot and may be called more than once. */
  acquire(workspaceId: string, signal: AbortSignal): Promise<() => void>;
  /** The current numbers, over all workspaces. */
  count(): { running: number; waiting: number };
}

export interface SlotLimits {
  running: number;
  waiting: number;
  waitMs: number;
}

export function createQuerySlots({ running, waiting, waitMs }: SlotLimits): QuerySlots {
  const semaphore = createSemaphore({ perKey: running, waitingPerKey: waiting, waitMs });
  return {
    async acquire(workspaceId, signal) {
      try {
        return await semaphore.acquire(workspaceId, signal);
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

import { ApiError } from "../contract/errors.ts";

/**
 * Query slots: a semaphore for each workspace. Reports beyond its slots wait in order, a bounded number of them and for a bounded time, so that one
 * dashboard with fifty charts neither hangs nor takes the engine from everybody else. Written by hand: limiters on npm bound one
 * queue, not a queue for each tenant with a deadline and an abort signal.
 */
export interface QuerySlots {
  /** Resolves with what releases the slot; that may be called more than once. */
  acquire(workspaceId: string, signal: AbortSignal): Promise<() => void>;
  /** Of all workspaces together, now. */
  count(): { running: number; waiting: number };
}

export interface SlotLimits {
  running: number;
  waiting: number;
  waitMs: number;
}

interface Semaphore {
  running: number;
  waiting: Set<() => void>;
}

export function createQuerySlots(limits: SlotLimits): QuerySlots {
  const semaphores = new Map<string, Semaphore>();

  function releaseOnce(workspaceId: string, semaphore: Semaphore): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = semaphore.waiting;
      // A slot is handed on rather than given back: in between, a newcomer would take it out of turn.
      if (next) next();
      else semaphore.running -= 1;
      if (semaphore.running === 0) semaphores.delete(workspaceId);
    };
  }

  return {
    async acquire(workspaceId, signal) {
      signal.throwIfAborted();
      const semaphore = semaphores.get(workspaceId) ?? { running: 0, waiting: new Set() };
      semaphores.set(workspaceId, semaphore);
      if (semaphore.running < limits.running) semaphore.running += 1;
      else await waitForSlot(semaphore, limits, signal);
      return releaseOnce(workspaceId, semaphore);
    },
    count() {
      const all = [...semaphores.values()];
      const sum = (of: (semaphore: Semaphore) => number) => all.reduce((total, one) => total + of(one), 0);
      return { running: sum(({ running }) => running), waiting: sum(({ waiting }) => waiting.size) };
    },
  };
}

function waitForSlot(semaphore: Semaphore, limits: SlotLimits, signal: AbortSignal): Promise<void> {
  if (semaphore.waiting.size >= limits.waiting) {
    throw new ApiError("TOO_MANY_REQUESTS", "Too many reports of this workspace are waiting already", {
      headers: { "Retry-After": "1" },
    });
  }
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      semaphore.waiting.delete(take);
      signal.removeEventListener("abort", onAbort);
    };
    const take = () => {
      leave();
      resolve();
    };
    const onAbort = () => {
      leave();
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      leave();
      const message = "The reports of this workspace take too long at the moment";
      reject(new ApiError("SERVICE_UNAVAILABLE", message, { headers: { "Retry-After": "2" } }));
    }, limits.waitMs);
    semaphore.waiting.add(take);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

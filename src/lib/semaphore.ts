/**
 * A semaphore with a limit for each key and, optionally, for all keys together. Waiters are served in order of arrival
 * among those whose key has a free slot. The queue and the wait can be bounded, and an abort signal ends a wait.
 * Written by hand: limiters on npm bound one queue, not a queue for each key with a deadline and an abort signal.
 */
export interface SemaphoreLimits {
  /** Slots for each key. */
  readonly perKey: number;
  /** Slots for all keys together. */
  readonly total?: number;
  /** Longest queue for each key. */
  readonly waitingPerKey?: number;
  readonly waitMs?: number;
}

export interface Semaphore {
  /**
   * Resolves with the function that releases the slot; calling it twice is safe. Rejects with QueueFull, WaitTimeout or
   * the reason of the signal.
   */
  acquire(key: string, signal?: AbortSignal): Promise<() => void>;
  /** The current number for all keys together. */
  count(): { running: number; waiting: number };
}

export class QueueFull extends Error {
  override readonly name = "QueueFull";
}

export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";
}

interface Waiter {
  readonly key: string;
  start(): void;
}

export function createSemaphore(limits: SemaphoreLimits): Semaphore {
  const running = new Map<string, number>();
  /** In order of arrival. */
  const waiting = new Set<Waiter>();
  const waitingByKey = new Map<string, number>();
  let total = 0;

  const hasRoom = (key: string) =>
    total < (limits.total ?? Number.POSITIVE_INFINITY) && (running.get(key) ?? 0) < limits.perKey;

  function occupy(key: string): void {
    total += 1;
    add(running, key, 1);
  }

  function release(key: string): void {
    total -= 1;
    add(running, key, -1);
    // The slot passes to the next waiter at once, because a newcomer would otherwise overtake it.
    for (const waiter of waiting)
      if (hasRoom(waiter.key)) {
        waiter.start();
        return;
      }
  }

  function wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    if ((waitingByKey.get(key) ?? 0) >= (limits.waitingPerKey ?? Number.POSITIVE_INFINITY))
      throw new QueueFull(`${limits.waitingPerKey} wait already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.delete(waiter);
      add(waitingByKey, key, -1);
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const waiter: Waiter = {
      key,
      start() {
        leave();
        occupy(key);
        resolve();
      },
    };
    const onAbort = () => {
      leave();
      reject(signal?.reason);
    };
    const onLate = () => {
      leave();
      reject(new WaitTimeout(`no slot within ${limits.waitMs} ms`));
    };
    const timer = limits.waitMs === undefined ? undefined : setTimeout(onLate, limits.waitMs);
    waiting.add(waiter);
    add(waitingByKey, key, 1);
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise;
  }

  return {
    async acquire(key, signal) {
      signal?.throwIfAborted();
      if (hasRoom(key)) occupy(key);
      else await wait(key, signal);
      let isHeld = true;
      return () => {
        if (isHeld) release(key);
        isHeld = false;
      };
    },
    count: () => ({ running: total, waiting: waiting.size }),
  };
}

/** A key whose count is zero is removed, because keys come and go. */
function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

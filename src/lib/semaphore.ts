/**
 * A semaphore with a limit for each key and, optionally, for all keys together. Waiters are served in order of arrival
 * among those whose key has a free slot. The queue and the wait can be bounded, and an abort signal ends a wait.
 * Written by hand: limiters on npm bound one queue, not a queue for each key with a deadline and an abort signal.
 */
export interface SemaphoreLimits {
  /** Slots for each key, at least one. A function: as many as it says whenever one is taken or released. */
  readonly perKey: number | (() => number);
  /** Slots for all keys together, at least one. */
  readonly total?: number | (() => number);
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
  const slots = countSlots(limits);
  /** In order of arrival. */
  const waiting = new Set<Waiter>();
  const waitingByKey = new Map<string, number>();

  /** At once, because a newcomer would otherwise overtake who waits. There may be more slots than before. */
  function startWaiting(): void {
    for (const waiter of waiting) if (slots.hasRoom(waiter.key)) waiter.start();
  }

  function release(key: string): void {
    slots.change(key, -1);
    startWaiting();
  }

  function wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    if ((waitingByKey.get(key) ?? 0) >= (limits.waitingPerKey ?? Number.POSITIVE_INFINITY))
      throw new QueueFull(`${limits.waitingPerKey} wait already`);
    const begun = startWait(limits.waitMs, signal, () => {
      waiting.delete(waiter);
      add(waitingByKey, key, -1);
    });
    const waiter: Waiter = {
      key,
      start() {
        begun.end();
        slots.change(key, 1);
      },
    };
    waiting.add(waiter);
    add(waitingByKey, key, 1);
    return begun.ended;
  }

  return {
    async acquire(key, signal) {
      signal?.throwIfAborted();
      startWaiting();
      if (slots.hasRoom(key)) slots.change(key, 1);
      else await wait(key, signal);
      let isHeld = true;
      return () => {
        if (isHeld) release(key);
        isHeld = false;
      };
    },
    count: () => ({ running: slots.occupied(), waiting: waiting.size }),
  };
}

function countSlots({ perKey, total = Number.POSITIVE_INFINITY }: SemaphoreLimits) {
  const now = (limit: number | (() => number)) => (typeof limit === "number" ? limit : limit());
  const byKey = new Map<string, number>();
  let occupied = 0;
  return {
    occupied: () => occupied,
    hasRoom: (key: string) => occupied < now(total) && (byKey.get(key) ?? 0) < now(perKey),
    change(key: string, by: 1 | -1): void {
      occupied += by;
      add(byKey, key, by);
    },
  };
}

/** Ends by `end`, by the signal or by the time, whichever comes first. */
function startWait(waitMs: number | undefined, signal: AbortSignal | undefined, onEnd: () => void) {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const leave = () => {
    onEnd();
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  const onAbort = () => {
    leave();
    reject(signal?.reason);
  };
  const onLate = () => {
    leave();
    reject(new WaitTimeout(`no slot within ${waitMs} ms`));
  };
  const timer = waitMs === undefined ? undefined : setTimeout(onLate, waitMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  const end = () => {
    leave();
    resolve();
  };
  return { ended, end };
}

/** A key whose count is zero is removed, because keys come and go. */
function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}

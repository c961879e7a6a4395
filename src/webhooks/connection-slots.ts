/** How many connections may be open at once. Each attempt has one of its own, so this counts attempts. */
export interface ConnectionLimits {
  perTarget: number;
  total: number;
}

export interface ConnectionSlots {
  /**
   * Waits for a free slot, first come first served among those that could go. The result gives it back; undefined if the signal
   * came first.
   */
  take(target: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

interface Waiter {
  target: string;
  start(): void;
}

export function createConnectionSlots(limits: ConnectionLimits): ConnectionSlots {
  const open = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;

  const isFree = (target: string) => total < limits.total && (open.get(target) ?? 0) < limits.perTarget;

  function occupy(target: string): void {
    total += 1;
    open.set(target, (open.get(target) ?? 0) + 1);
  }

  function release(target: string): void {
    total -= 1;
    const left = (open.get(target) ?? 1) - 1;
    if (left === 0) open.delete(target);
    else open.set(target, left);
    const next = [...waiting].find((waiter) => isFree(waiter.target));
    next?.start();
  }

  /** Whether the slot is ours now. */
  function wait(target: string, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = {
      target,
      start() {
        waiting.delete(waiter);
        occupy(target);
        resolve(true);
      },
    };
    // After a start this finds nothing to delete and the promise settled: the slot stays with its owner.
    const abandon = () => {
      waiting.delete(waiter);
      resolve(false);
    };
    waiting.add(waiter);
    signal.addEventListener("abort", abandon, { once: true });
    return promise;
  }

  return {
    async take(target, signal) {
      if (signal.aborted) return undefined;
      if (isFree(target)) occupy(target);
      else if (!(await wait(target, signal))) return undefined;
      return () => release(target);
    },
  };
}

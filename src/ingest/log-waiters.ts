import { comparePositions, type Position } from "./log-position.ts";

/** Readers that wait for the log to grow. */
export interface Waiters {
  wait(beyond: Position, signal: AbortSignal | undefined): Promise<void>;
  /** Everything below `end` can be read now. */
  wake(end: Position): void;
  fail(cause: Error): void;
}

interface Waiter {
  readonly beyond: Position;
  readonly resolve: () => void;
  readonly reject: (cause: Error) => void;
}

export function createWaiters(): Waiters {
  const waiting = new Set<Waiter>();
  return {
    wait(beyond, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => settle(() => reject(signal?.reason));
      const waiter: Waiter = {
        beyond,
        resolve: () => settle(resolve),
        reject: (cause) => settle(() => reject(cause)),
      };
      function settle(how: () => void): void {
        waiting.delete(waiter);
        signal?.removeEventListener("abort", abort);
        how();
      }
      if (signal?.aborted === true) {
        reject(signal.reason);
      } else {
        waiting.add(waiter);
        signal?.addEventListener("abort", abort, { once: true });
      }
      return promise;
    },
    wake(end) {
      for (const waiter of waiting) if (comparePositions(end, waiter.beyond) > 0) waiter.resolve();
    },
    fail(cause) {
      for (const waiter of waiting) waiter.reject(cause);
    },
  };
}

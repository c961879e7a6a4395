/**
 * A browser opens six connections to a host. One of them is the stream of events, and two stay free for the headline
 * and its chart: all other questions share three.
 */
const MOST_AT_ONCE = 3;

export interface Turns {
  /** Runs `ask` when its turn comes, in the order of the calls, and later than what is asked without a turn. */
  take<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createTurns(most: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  const next = () => {
    while (running < most && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
  };
  return {
    async take(ask, signal) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        // Panels ask while the page is put together, the headline last: what begins later lets it go first.
        queueMicrotask(next);
      });
      try {
        signal?.throwIfAborted();
        return await ask();
      } finally {
        running -= 1;
        next();
      }
    },
  };
}

export const turns = createTurns(MOST_AT_ONCE);

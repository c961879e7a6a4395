/**
 * A browser opens six connections to a host. One of them is the stream of events, and two stay free for the headline
 * and its chart: all other questions share three.
 */
const MOST_AT_ONCE = 3;
/**
 * What is asked first has the engine alone for so long. Beside three cards the headline of ten million events took four
 * times its time alone; without an end a headline that hangs would leave the page empty.
 */
const ALONE_MS = 1_000;

export interface Turns {
  /** Runs `ask` at once. */
  first<T>(ask: () => Promise<T>): Promise<T>;
  /** Runs `ask` when its turn comes, in the order of the calls, and after what is asked first. */
  take<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createTurns(most: number, aloneMs = ALONE_MS): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  let firstRunning = 0;
  let isAlone = false;
  let alone: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    while (!isAlone && running < most && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
  };
  const endAlone = () => {
    clearTimeout(alone);
    isAlone = false;
    next();
  };
  return {
    async first(ask) {
      firstRunning += 1;
      if (firstRunning === 1) {
        isAlone = true;
        alone = setTimeout(endAlone, aloneMs);
      }
      try {
        return await ask();
      } finally {
        firstRunning -= 1;
        if (firstRunning === 0) endAlone();
      }
    },
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

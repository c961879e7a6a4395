import { setTimeout as delay } from "node:timers/promises";

const FIRST_MS = 50;
const MOST_MS = 2_000;

interface Retrying {
  readonly signal: AbortSignal;
  /** Called when a try failed and will be repeated. */
  readonly onRetry?: ((cause: unknown) => void) | undefined;
  /** Failures that no later try would mend. */
  readonly isFinal?: (cause: unknown) => boolean;
}

/** Repeats the work until the engine is available. */
export async function retry<T>({ signal, onRetry, isFinal }: Retrying, work: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, MOST_MS)) {
    try {
      return await work();
    } catch (cause) {
      signal.throwIfAborted();
      if (isFinal?.(cause)) throw cause;
      onRetry?.(cause);
      await delay(pause, undefined, { signal });
    }
  }
}

/**
 * Between two batches an import rests as long as the one before took, at most a second: the events of visitors pass on
 * the same thread and disk.
 */
import { setTimeout as delay } from "node:timers/promises";

const LONGEST_REST_MS = 1_000;

export type Rest = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function createRest(): Rest {
  let restUntil = 0;
  return async (signal, work) => {
    const pause = restUntil - performance.now();
    if (pause > 0) await delay(pause, undefined, { signal });
    const begin = performance.now();
    const done = await work();
    restUntil = performance.now() + Math.min(performance.now() - begin, LONGEST_REST_MS);
    return done;
  };
}

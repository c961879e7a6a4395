import { setTimeout as delay } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";

/**
 * A busy service lets a batch grow for 200 ms after the last one (writer.ts): then there is time for something else. At
 * full load one follows the other, and a read of the worker every three seconds takes little of it.
 */
const QUIET = { momentMs: 50, mostMs: 3_000 } as const;

/** Works on one connection, one after the other. `onEnded` is called after each. */
export function createQueue(
  connection: DuckDBConnection,
  toFailure: (cause: unknown) => unknown,
  onEnded?: () => void,
) {
  let last: Promise<unknown> = Promise.resolve();
  let begun = 0;
  let ended = 0;
  let endedAtMs = Number.NEGATIVE_INFINITY;

  function alone<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    begun += 1;
    const mine = last
      .then(() => work(connection))
      .catch((cause: unknown) => {
        throw toFailure(cause);
      })
      .finally(() => {
        ended += 1;
        endedAtMs = performance.now();
        onEnded?.();
      });
    last = mine.catch(() => undefined);
    return mine;
  }

  /** Resolves when for a moment nothing has run or waited, or after a while. */
  async function quiet(signal: AbortSignal): Promise<void> {
    const until = performance.now() + QUIET.mostMs;
    for (let now = performance.now(); now < until; now = performance.now()) {
      signal.throwIfAborted();
      const left = endedAtMs + QUIET.momentMs - now;
      if (begun !== ended) await Promise.race([last, delay(until - now, undefined, { ref: false })]);
      else if (left > 0) await delay(left);
      else return;
    }
  }

  return { alone, done: () => last, findWrites: () => (begun === ended ? begun : undefined), quiet };
}

import { setTimeout as delay } from "node:timers/promises";
import { LateError, unlessAborted, within } from "../lib/within.ts";
import { EngineDown, isFailure } from "./failures.ts";
import type { AnalyticsEngine, BatchStore } from "./port.ts";

/** A frozen server would keep a start waiting for as long as a query may take. */
const FIRST_TRY_MS = 5_000;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

export interface PreparedEngine {
  /** Its batches wait for the preparation; the rest is handed through, for a node that only stores events. */
  engine: AnalyticsEngine;
  /** Prepares it unless that is done. Throws EngineDown while it cannot be. */
  getReady(): Promise<void>;
}

/**
 * An engine that may be unavailable now. It is prepared (its schema brought up to date) before the first batch, now or when it answers again. What it
 * refuses now, it would refuse for ever: that is thrown.
 */
export async function prepareWhenAvailable(
  engine: AnalyticsEngine,
  prepare: () => Promise<unknown>,
  onUnavailable: (cause: unknown) => void,
): Promise<PreparedEngine> {
  let done = false;
  let trying: Promise<void> | undefined;

  async function tryOnce(): Promise<void> {
    try {
      await prepare();
      done = true;
    } finally {
      trying = undefined;
    }
  }

  async function getReady(): Promise<void> {
    if (done) return;
    trying ??= tryOnce();
    try {
      await trying;
    } catch (cause) {
      if (cause instanceof EngineDown) throw cause;
      throw new EngineDown(`the warehouse cannot be used: ${(cause as Error).message}`, { cause });
    }
  }

  trying = tryOnce();
  try {
    await within(FIRST_TRY_MS, trying);
  } catch (cause) {
    const isUnavailable = cause instanceof LateError || (isFailure(cause) && cause.kind !== "refused");
    if (!isUnavailable) throw cause;
    onUnavailable(cause);
  }

  /** A stop does not wait for a frozen server: preparing it takes as long as its statements may. */
  async function waitUntilReady(signal: AbortSignal, onRetry?: (cause: unknown) => void): Promise<void> {
    for (let pause = RETRY_FIRST_MS; !done; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
      try {
        await unlessAborted(signal, getReady());
      } catch (cause) {
        signal.throwIfAborted();
        onRetry?.(cause);
        await delay(pause, undefined, { signal });
      }
    }
    signal.throwIfAborted();
  }

  return {
    engine: {
      ...engine,
      async openBatchStore(options) {
        const store = await engine.openBatchStore(options);
        const storeWhenReady: BatchStore["store"] = async (batch, range, signal) => {
          await waitUntilReady(signal, options.onRetry);
          return store.store(batch, range, signal);
        };
        return { ...store, store: storeWhenReady };
      },
    },
    getReady,
  };
}

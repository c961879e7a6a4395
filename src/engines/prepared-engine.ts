import { LateError, unlessAborted, withTimeout } from "../lib/timeout.ts";
import { EngineDown, isFailure } from "./failures.ts";
import type { AnalyticsEngine, BatchStore } from "./port.ts";
import { retry } from "./retry.ts";

/** A hanging server would delay the start by as long as a query may take. */
const FIRST_TRY_MS = 5_000;

export interface PreparedEngine {
  /** Its batches wait for the preparation; all other methods do not, and are for a node that only stores events. */
  engine: AnalyticsEngine;
  /** Prepares the engine unless that is done. Throws EngineDown while it cannot be prepared. */
  getReady(): Promise<void>;
}

/**
 * Wraps an engine that may be unavailable. Its schema is migrated before the first batch, now or when the engine is
 * available again. A refusal now is permanent and is thrown.
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
    await withTimeout(FIRST_TRY_MS, trying);
  } catch (cause) {
    const isUnavailable = cause instanceof LateError || (isFailure(cause) && cause.kind !== "refused");
    if (!isUnavailable) throw cause;
    onUnavailable(cause);
  }

  /** A stop does not wait for a hanging server, whose preparation takes as long as its statements may. */
  async function waitUntilReady(signal: AbortSignal, onRetry?: (cause: unknown) => void): Promise<void> {
    if (!done) await retry({ signal, onRetry }, () => unlessAborted(signal, getReady()));
    signal.throwIfAborted();
  }

  return { engine: { ...engine, openBatchStore: openWhenReady(engine, waitUntilReady) }, getReady };
}

function openWhenReady(
  engine: AnalyticsEngine,
  wait: (signal: AbortSignal, onRetry?: (cause: unknown) => void) => Promise<void>,
): AnalyticsEngine["openBatchStore"] {
  return async (options) => {
    const store = await engine.openBatchStore(options);
    const storeWhenReady: BatchStore["store"] = async (batch, range, signal) => {
      await wait(signal, options.onRetry);
      return store.store(batch, range, signal);
    };
    return { ...store, store: storeWhenReady };
  };
}

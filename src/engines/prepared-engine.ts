import { LateError, unlessAborted, within } from "../lib/within.ts";
import { type AnalyticsEngine, EngineDown, isFailure } from "./analytics.ts";

/** A frozen server would keep a start waiting for as long as a query may take. */
const FIRST_TRY_MS = 5_000;

export interface PreparedEngine {
  /** Its inserts, and what is asked before them, wait for the preparation; the rest is handed through, for who only inserts. */
  engine: AnalyticsEngine;
  /** Prepares it unless that is done. Throws EngineDown while it cannot be: rows must not be blamed for it. */
  getReady(): Promise<void>;
}

/**
 * An engine that may be away now. It is prepared (its schema brought up to date) before the first insert, now or when it is back.
 * What it refuses now, it would refuse for ever: that is thrown.
 */
export async function prepareWhenThere(
  engine: AnalyticsEngine,
  prepare: () => Promise<unknown>,
  onAway: (cause: unknown) => void,
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
    const isAway = cause instanceof LateError || (isFailure(cause) && cause.kind !== "refused");
    if (!isAway) throw cause;
    onAway(cause);
  }
  /** A frozen server is not waited for by who stops: preparing it takes as long as its statements may. */
  async function waitUntilReady(signal: AbortSignal | undefined): Promise<void> {
    await unlessAborted(signal, getReady());
    signal?.throwIfAborted();
  }

  return {
    engine: {
      ...engine,
      async insert(batch) {
        await waitUntilReady(batch.signal);
        return engine.insert(batch);
      },
      async selectJson(sql, options) {
        await waitUntilReady(options?.signal);
        return engine.selectJson(sql, options);
      },
    },
    getReady,
  };
}

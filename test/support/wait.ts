import { setTimeout as delay } from "node:timers/promises";

/** Repeats until the result is neither undefined nor false: a test waits for conditions, never for time. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 10_000,
): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(20);
  }
}

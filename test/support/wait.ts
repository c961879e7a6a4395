import { setTimeout as delay } from "node:timers/promises";

const PAUSE_MS = 20;

/** Waits until an hour or a day of UTC that is about to end has ended: page and test must mean the same one. */
export async function awayFromEnd(ofMs: number, withinMs: number): Promise<void> {
  const leftMs = ofMs - (Date.now() % ofMs);
  if (leftMs < withinMs) await delay(leftMs + 50);
}

/**
 * Repeats until the result is neither undefined nor false: a test waits for conditions, never for time. Only the pauses
 * count against `withinMs`, not how long each answer takes: on a busy machine that is what everything takes longer by.
 */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 60_000,
): Promise<T> {
  for (let paused = 0; ; paused += PAUSE_MS) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (paused > withinMs) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(PAUSE_MS);
  }
}

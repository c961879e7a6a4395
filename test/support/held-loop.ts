import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate } from "node:timers/promises";

const ROUNDS = 20;
const IDLE_MS = 500;
const LOOK_EVERY_MS = 1;

/**
 * For how long this process could do nothing else while the work ran, in milliseconds, without the time in which its
 * thread waited for a processor: other programs had them, or other threads of its own, which hold no loop.
 */
async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  let held = 0;
  let sinceLook = startStopwatch();
  const lookAgain = () => {
    held = Math.max(held, sinceLook() - LOOK_EVERY_MS);
    sinceLook = startStopwatch();
  };
  const timer = setInterval(lookAgain, LOOK_EVERY_MS);
  await setImmediate();
  await work();
  // What began before it is measured when the loop turns again.
  await setImmediate();
  await setImmediate();
  clearInterval(timer);
  lookAgain();
  return held;
}

/**
 * Returns what tells the milliseconds since, without those in which this thread (or the main thread of a process with this
 * id) waited for a processor. Of another process that is waiting when it starts, that whole wait is left out. What comes
 * between the two readings at either end is counted, so that noise only adds: with them the other way around, 82 of
 * 57,000 stretches took less than no time while six programs had the two cores.
 */
export function startStopwatch(task: number | "thread-self" = "thread-self"): () => number {
  const startedMs = performance.now();
  const waitedBefore = waitedForProcessor(task);
  return () => {
    const waitedMs = waitedForProcessor(task) - waitedBefore;
    return performance.now() - startedMs - waitedMs;
  };
}

/** In all; 0 where the system does not tell, as on macOS. */
function waitedForProcessor(task: number | "thread-self"): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${task}/schedstat`, "latin1").split(" ");
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * The work holds the event loop for at most so long, beyond what other programs on this machine do while there is no
 * work. They disturb a round or two; work that holds the loop does so in every one.
 */
export async function expectShortHolds(what: string, mostMs: number, work: () => Promise<unknown>): Promise<void> {
  const rounds: string[] = [];
  let [leastHeld, leastIdle] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    const held = await heldDuring(work);
    if (held <= mostMs) return;
    const idle = await heldDuring(() => delay(IDLE_MS));
    leastHeld = Math.min(leastHeld, held);
    leastIdle = Math.min(leastIdle, idle);
    if (leastHeld <= mostMs + leastIdle) return;
    rounds.push(`${Math.round(held)} (idle: ${Math.round(idle)})`);
  }
  assert.fail(`${what} held the event loop, in ms: ${rounds.join(", ")}`);
}

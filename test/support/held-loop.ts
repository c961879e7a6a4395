import assert from "node:assert/strict";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay, setImmediate } from "node:timers/promises";

const ROUNDS = 6;
const IDLE_MS = 500;

/** For how long this process could do nothing else while the work ran, in milliseconds. */
async function heldDuring(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  await setImmediate();
  delays.enable();
  await work();
  // What began before it is measured when the loop turns again.
  await setImmediate();
  await setImmediate();
  delays.disable();
  return delays.max / 1e6;
}

/**
 * The work holds the event loop for at most so long, beyond what other programs on this machine do while there is no
 * work. They disturb a round or two; work that holds the loop does so in every one.
 */
export async function expectShortHolds(what: string, mostMs: number, work: () => Promise<unknown>): Promise<void> {
  const rounds: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const held = await heldDuring(work);
    if (held <= mostMs) return;
    const idle = await heldDuring(() => delay(IDLE_MS));
    if (held <= mostMs + idle) return;
    rounds.push(`${Math.round(held)} (idle: ${Math.round(idle)})`);
  }
  assert.fail(`${what} held the event loop, in ms: ${rounds.join(", ")}`);
}

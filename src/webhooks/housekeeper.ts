import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { createWaker } from "../lib/waker.ts";
import { hurryMisdated, purgeDeletedWebhooks, purgeDeliveries, releaseLost } from "./housekeeping.ts";

/** A lease lasts 20 s; what a dead node held is noticed this much later at the most. */
const LEASES_EVERY_MS = 1_000;
const PURGE_EVERY_MS = 60_000;
/** Full steps follow each other without a wait, this many at most; then others get their turn. */
const STEPS_AT_ONCE = 100;

/** Runs what keeps deliveries tidy, for as long as the worker lives. */
export function startHousekeeper(deps: {
  store: ControlStore;
  steady: Clock;
  log: WarnLog;
  /** Something was given back and can be sent now. */
  wake: () => void;
  /** Old deliveries were looked for, and this many erased. */
  onPurge?: ((removed: number) => Promise<void>) | undefined;
}): { stop(): Promise<void> } {
  const { store, steady, log } = deps;
  const waker = createWaker();
  let stopping = false;
  let purgedAtMs = Number.NEGATIVE_INFINITY;

  async function repeat(step: () => Promise<number>): Promise<number> {
    let total = 0;
    for (let steps = 0; steps < STEPS_AT_ONCE && !stopping; steps += 1) {
      const done = await step();
      if (done === 0) break;
      total += done;
    }
    return total;
  }

  async function tidy(): Promise<void> {
    await repeat(async () => {
      const released = await releaseLost(store, steady.nowMs());
      if (released > 0) deps.wake();
      return released;
    });
    if (performance.now() - purgedAtMs < PURGE_EVERY_MS) return;
    purgedAtMs = performance.now();
    await repeat(() => hurryMisdated(store, steady.nowMs()));
    await repeat(() => purgeDeletedWebhooks(store));
    await deps.onPurge?.(await repeat(() => purgeDeliveries(store, steady.nowMs())));
  }

  async function run(): Promise<void> {
    while (!stopping) {
      await tolerate(tidy(), log, "the next run does what this one left");
      await waker.wait(LEASES_EVERY_MS);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping = true;
      waker.wake();
      await running;
    },
  };
}

/** Query slots of work for which nobody waits: it takes none from people, and gives way to them. */
import { setTimeout as delay } from "node:timers/promises";
import type { QuerySlots } from "./slots.ts";

/** The longest that people hold it up: an alert is late rather than never. */
const LONGEST_MS = 10_000;
const LOOK_MS = 50;

/** `isBusy`: people of this node wait for a slot. */
export function createYieldingSlots(own: QuerySlots, isBusy: () => boolean, longestMs = LONGEST_MS): QuerySlots {
  return {
    async acquire(workspaceId, signal) {
      const release = await own.acquire(workspaceId, signal);
      try {
        const untilMs = performance.now() + longestMs;
        while (isBusy() && performance.now() < untilMs) await delay(LOOK_MS, undefined, { signal });
      } catch (cause) {
        release();
        throw cause;
      }
      return release;
    },
    count: () => own.count(),
  };
}

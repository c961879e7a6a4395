import type { Removals } from "../control/removals.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { type Job, untilNothing } from "../lib/job.ts";
import { MINUTE_MS, SECOND_MS } from "../lib/time.ts";
import { hurryMisdated, purgeDeletedWebhooks, purgeDeliveries, releaseLost } from "./housekeeping.ts";

/** The jobs that maintain webhook deliveries. */
export function webhookJobs(deps: {
  store: ControlStore;
  /** For waiting: setting the wall clock does not shorten a wait. */
  steady: Clock;
  removals: Removals;
  /** Wakes the delivery worker, because deliveries may be due. */
  wakeDelivery: () => void;
}): Job[] {
  const { store, steady } = deps;
  return [
    {
      // A lease lasts 20 s; the deliveries of a dead node are found at most a second after it expires.
      name: "release_lost_deliveries",
      everyMs: SECOND_MS,
      share: 1,
      run: ({ rest }) =>
        untilNothing(rest, async () => {
          const released = await releaseLost(store, steady.nowMs());
          if (released > 0) deps.wakeDelivery();
          return released;
        }),
      whenFailed: "the next run releases them",
    },
    {
      name: "hurry_misdated_deliveries",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) => untilNothing(rest, () => hurryMisdated(store, steady.nowMs())),
      whenFailed: "the next run reschedules them",
    },
    {
      name: "purge_deleted_webhooks",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) => untilNothing(rest, () => purgeDeletedWebhooks(store)),
      whenFailed: "the next run removes them",
    },
    {
      // By the checked time: the steady clock keeps the time of a start with a wrong clock.
      name: "purge_deliveries",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) =>
        deps.removals.run("deliveries", (nowMs) => untilNothing(rest, () => purgeDeliveries(store, nowMs))),
      whenFailed: "the next run removes them",
    },
  ];
}

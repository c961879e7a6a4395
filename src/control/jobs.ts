import { type Job, untilNothing } from "../lib/job.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { purgeIdempotencyRecords } from "./idempotency.ts";
import type { Removals } from "./removals.ts";
import type { ControlStore } from "./store.ts";

export function controlJobs({ store, removals }: { store: ControlStore; removals: Removals }): Job[] {
  return [
    {
      name: "purge_idempotency_keys",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) =>
        removals.run("idempotency", (nowMs) => untilNothing(rest, () => purgeIdempotencyRecords(store, nowMs))),
      whenFailed: "the next run removes the keys",
    },
  ];
}

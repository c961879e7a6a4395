import type { Removals } from "../control/removals.ts";
import type { ControlStore } from "../control/store.ts";
import { type Job, untilNothing } from "../lib/job.ts";
import { MINUTE_MS } from "../lib/time.ts";
import { purgeSubmissions } from "./submissions.ts";

export function formJobs({ store, removals }: { store: ControlStore; removals: Removals }): Job[] {
  return [
    {
      name: "purge_submissions",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) =>
        removals.run("submissions", (nowMs) => untilNothing(rest, () => purgeSubmissions(store, nowMs))),
      whenFailed: "the next run removes the submissions",
    },
  ];
}

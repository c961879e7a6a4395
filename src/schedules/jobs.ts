import type { Clock } from "../lib/clock.ts";
import { type Job, untilNothing } from "../lib/job.ts";
import { SECOND_MS } from "../lib/time.ts";
import { type RunDueDeps, runDue } from "./run-due.ts";

/** The job that sends scheduled reports: one node for all, because each asks the engine. */
export function scheduleJobs(deps: RunDueDeps & { clock: Clock }): Job[] {
  return [
    {
      // People expect it at its hour; half a minute later nobody notices.
      name: "send_scheduled_reports",
      everyMs: 30 * SECOND_MS,
      share: 0.5,
      once: true,
      run: ({ rest, signal }) => untilNothing(rest, () => runDue(deps, deps.clock.nowMs(), signal)),
      whenFailed: "the next run sends them",
    },
  ];
}

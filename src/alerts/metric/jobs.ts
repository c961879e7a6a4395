import { type Job, untilNothing } from "../../lib/job.ts";
import { SECOND_MS } from "../../lib/time.ts";
import { type MetricJobDeps, runDueMetrics } from "./run-due.ts";

export function metricJobs(deps: MetricJobDeps): Job[] {
  return [
    {
      // The shortest schedule is five minutes: an evaluation is at most a thirtieth of it late.
      name: "evaluate_metric_alerts",
      everyMs: 10 * SECOND_MS,
      share: 1,
      once: true,
      run: ({ signal, rest }) => untilNothing(rest, () => runDueMetrics(deps, signal)),
      whenFailed: "the next run evaluates the alerts that are due",
    },
  ];
}

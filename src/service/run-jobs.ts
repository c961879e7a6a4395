/**
 * The one runner of background jobs. Each job repeats until the service stops; the next run makes up for a failed one.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Histogram, type Registry } from "prom-client";
import { LEASE_MS, type RunOnce } from "../control/leases.ts";
import type { Job, JobRun } from "../lib/job.ts";
import type { WarnLog } from "../lib/tolerate.ts";

const JITTER = 0.1;
/** A step that worked for minutes is not followed by a rest of minutes. */
const LONGEST_REST_MS = 1_000;

interface RunnerDeps {
  registry: Registry;
  log: WarnLog;
  runOnce: RunOnce;
  random?: () => number;
}

export function runJobs(jobs: readonly Job[], deps: RunnerDeps): { stop(): Promise<void> } {
  const { random = Math.random } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const runNow = createRunNow(deps, signal);

  async function repeat(job: Job): Promise<void> {
    while (!signal.aborted) {
      const waitMs = job.everyMs * (1 - JITTER + 2 * JITTER * random());
      const ranHere = await runNow(job, waitMs);
      await delay(ranHere ? waitMs : Math.min(waitMs, LEASE_MS), undefined, { signal }).catch(() => undefined);
    }
  }

  const running = Promise.all(jobs.map(repeat));
  return {
    async stop() {
      stopping.abort(new Error("stopping"));
      await running;
    },
  };
}

/** Resolves with whether the job ran here; false for one that another node runs. */
function createRunNow({ registry, log, runOnce }: RunnerDeps, signal: AbortSignal) {
  const seconds = new Histogram({
    name: "sextant_job_seconds",
    help: "Duration of background job runs, including rests, by outcome: done or failed.",
    labelNames: ["job", "outcome"],
    buckets: [0.001, 0.01, 0.1, 1, 10, 60, 600],
    registers: [registry],
  });

  async function runHere(job: Job, runSignal: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    const end = (outcome: string) =>
      seconds.observe({ job: job.name, outcome }, (performance.now() - startedMs) / 1000);
    try {
      await job.run({ signal: runSignal, rest: createRest(job.share, runSignal) });
      end("done");
    } catch (cause) {
      if (signal.aborted) return;
      end("failed");
      warn(job, cause);
    }
  }

  const warn = (job: Job, cause: unknown) =>
    log.warn({ err: cause, job: job.name }, `a background job failed: ${job.whenFailed}`);

  return async (job: Job, waitMs: number): Promise<boolean> => {
    if (job.once !== true) {
      await runHere(job, signal);
      return true;
    }
    try {
      return await runOnce(job.name, { restMs: waitMs, signal }, (runSignal) => runHere(job, runSignal));
    } catch (cause) {
      // The store that holds the lease is unavailable.
      if (!signal.aborted) warn(job, cause);
      return false;
    }
  };
}

function createRest(share: number, signal: AbortSignal): JobRun["rest"] {
  let restedMs = performance.now();
  return async () => {
    signal.throwIfAborted();
    const workedMs = performance.now() - restedMs;
    const restMs = Math.min(LONGEST_REST_MS, (workedMs * (1 - share)) / share);
    if (restMs > 0) await delay(restMs, undefined, { signal });
    restedMs = performance.now();
  };
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import type { RunOnce } from "../control/leases.ts";
import type { Job } from "../lib/job.ts";
import { withTimeout } from "../lib/timeout.ts";
import { runJobs } from "./run-jobs.ts";

const alone: RunOnce = async (_, { signal }, work) => {
  await work(signal);
  return true;
};

function start(job: Partial<Job> & Pick<Job, "run">) {
  const registry = new Registry();
  const warnings: string[] = [];
  const log = { warn: (_: object, message: string) => void warnings.push(message) };
  const whole = { name: "sweep", everyMs: 1, share: 1, whenFailed: "the next run sweeps", ...job };
  return { registry, warnings, jobs: runJobs([whole], { registry, log, runOnce: alone }) };
}

describe("the runner of background jobs", () => {
  it("repeats a job, also after a failed run, and counts each run by its outcome", async () => {
    let runs = 0;
    const third = Promise.withResolvers<void>();
    const { registry, warnings, jobs } = start({
      async run() {
        runs += 1;
        if (runs === 1) throw new Error("no store");
        if (runs === 3) third.resolve();
      },
    });
    await withTimeout(5_000, third.promise);
    await jobs.stop();
    assert.deepEqual(warnings, ["a background job failed: the next run sweeps"]);
    const text = await registry.metrics();
    assert.match(text, /sextant_job_seconds_count\{job="sweep",outcome="failed"\} 1/);
    assert.match(text, /sextant_job_seconds_count\{job="sweep",outcome="done"\} [2-9]/);
  });

  it("ends a run between two of its steps on stop, and starts no further run", async () => {
    let steps = 0;
    const begun = Promise.withResolvers<void>();
    const { warnings, jobs } = start({
      async run({ rest }) {
        for (;;) {
          steps += 1;
          begun.resolve();
          await rest();
          await delay(1);
        }
      },
    });
    await begun.promise;
    await withTimeout(2_000, jobs.stop());
    const stoppedAfter = steps;
    await delay(20);
    assert.equal(steps, stoppedAfter);
    assert.deepEqual(warnings, [], "a stop is no failure");
  });

  it("lets a job with a share of one half rest as long as it worked", async () => {
    const rested = Promise.withResolvers<number>();
    const { jobs } = start({
      everyMs: 60_000,
      share: 0.5,
      async run({ rest }) {
        await delay(60);
        const before = performance.now();
        await rest();
        rested.resolve(performance.now() - before);
      },
    });
    const restMs = await withTimeout(30_000, rested.promise);
    await jobs.stop();
    assert.ok(restMs >= 55 && restMs < 10_000, `rested ${restMs} ms`);
  });
});

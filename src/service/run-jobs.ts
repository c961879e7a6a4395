/**
 * The one runner of background jobs. Each job repeats until the service stops; the next run makes up for a failed one.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Histogram, type Registry } from "prom-client";
import type { WarnLog } from "../lib/tolerate.ts";

export interface Job {
  /** Label in the metrics. */
  readonly name: string;
  /**
   * From the end of a run to the start of the next, varied by a tenth so that nodes that start together drift apart.
   */
  readonly everyMs: number;
  /** The share of time in which a run may work; `rest` waits for the remainder. 1 never rests. */
  readonly share: number;
  run(turn: JobTurn): Promise<unknown>;
  /** The consequence of a failed run, for the log. */
  readonly whenFailed: string;
}

export interface JobTurn {
  readonly signal: AbortSignal;
  /** Call between two steps of a long run. Rejects when the service stops. */
  rest(): Promise<void>;
}

const JITTER = 0.1;
/** A step that worked for minutes is not followed by a rest of minutes. */
const LONGEST_REST_MS = 1_000;

export function runJobs(
  jobs: readonly Job[],
  deps: { registry: Registry; log: WarnLog; random?: () => number },
): { stop(): Promise<void> } {
  const { registry, log, random = Math.random } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const seconds = new Histogram({
    name: "sextant_job_seconds",
    help: "Duration of background job runs, including rests, by outcome: done or failed.",
    labelNames: ["job", "outcome"],
    buckets: [0.001, 0.01, 0.1, 1, 10, 60, 600],
    registers: [registry],
  });

  async function runOnce(job: Job): Promise<void> {
    const startedMs = performance.now();
    const end = (outcome: string) =>
      seconds.observe({ job: job.name, outcome }, (performance.now() - startedMs) / 1000);
    try {
      await job.run({ signal, rest: createRest(job.share, signal) });
      end("done");
    } catch (cause) {
      if (signal.aborted) return;
      end("failed");
      log.warn({ err: cause, job: job.name }, `a background job failed: ${job.whenFailed}`);
    }
  }

  async function repeat(job: Job): Promise<void> {
    while (!signal.aborted) {
      await runOnce(job);
      const waitMs = job.everyMs * (1 - JITTER + 2 * JITTER * random());
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
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

function createRest(share: number, signal: AbortSignal): () => Promise<void> {
  let restedMs = performance.now();
  return async () => {
    signal.throwIfAborted();
    const workedMs = performance.now() - restedMs;
    const restMs = Math.min(LONGEST_REST_MS, (workedMs * (1 - share)) / share);
    if (restMs > 0) await delay(restMs, undefined, { signal });
    restedMs = performance.now();
  };
}

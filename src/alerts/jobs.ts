/** The jobs of alerts. */
import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "../contract/limits.ts";
import type { Removals } from "../control/removals.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { type Job, untilNothing } from "../lib/job.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/time.ts";
import { createEvaluator, type EvaluatorDeps, LONG_MS } from "./evaluate/evaluator.ts";
import { purgeAlertRows } from "./purge.ts";

/** From the end of a round to the next: an event is told about a second after it was stored. */
const PAUSE_MS = 500;
/** A slow engine is asked a fifth of the time. */
const PAUSE_PER_WORK = 4;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;
/** An engine that is down for an hour would log 700 warnings. */
const PAUSE_AFTER_ERROR_MS = 5 * SECOND_MS;
/** A run holds its lease for this long: to take it anew twice a second would be eight writes. */
const RUN_MS = 30 * SECOND_MS;
/** Where nodes share a store, each takes some of the projects. */
const SHARDS = 4;

export interface AlertJobDeps extends Omit<EvaluatorDeps, "isMine"> {
  store: ControlStore;
  clock: Clock;
  removals: Removals;
}

export function alertJobs(deps: AlertJobDeps): Job[] {
  const shards = deps.store.backend.sharedBetweenNodes ? SHARDS : 1;
  return [
    ...Array.from({ length: shards }, (_, shard) => evaluateJob(deps, shard, shards)),
    {
      name: "purge_alerts",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: ({ rest }) =>
        deps.removals.run("alert_firings", (nowMs) =>
          untilNothing(rest, () =>
            purgeAlertRows(deps.store, {
              firingsBeforeMs: nowMs - LIMITS.keptDays * DAY_MS,
              minutesBeforeMs: nowMs - LONG_MS - HOUR_MS,
              walletsBeforeMs: nowMs - 2 * DAY_MS,
            }),
          ),
        ),
      whenFailed: "the next run removes them",
    },
  ];
}

function evaluateJob(deps: AlertJobDeps, shard: number, shards: number): Job {
  const evaluator = createEvaluator({ ...deps, isMine: (projectId) => shardOf(projectId, shards) === shard });
  return {
    name: shards === 1 ? "evaluate_alerts" : `evaluate_alerts_${shard + 1}`,
    everyMs: PAUSE_MS,
    share: 1,
    once: true,
    async run({ signal }) {
      const endMs = performance.now() + RUN_MS;
      while (!signal.aborted && performance.now() < endMs) {
        const startedMs = performance.now();
        try {
          await evaluator.round(signal);
        } catch (cause) {
          await delay(PAUSE_AFTER_ERROR_MS, undefined, { signal }).catch(() => undefined);
          throw cause;
        }
        const pauseMs = Math.max(PAUSE_MS, (performance.now() - startedMs) * PAUSE_PER_WORK);
        await delay(Math.min(pauseMs, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => undefined);
      }
    },
    whenFailed: "the next run looks at what is left",
  };
}

/** Ids are random: the sum of their characters spreads them. */
function shardOf(projectId: string, shards: number): number {
  let sum = 0;
  for (let at = 0; at < projectId.length; at += 1) sum = (sum * 31 + projectId.charCodeAt(at)) % 1_000_003;
  return sum % shards;
}

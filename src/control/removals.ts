import { Counter, Gauge, type Registry } from "prom-client";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { listRuns, RETAINED, type Retained, recordRun } from "./retention.ts";
import { findClockProblem } from "./retention-clock.ts";
import type { ControlStore } from "./store.ts";

export interface Removals {
  /**
   * Runs `work`, which removes expired rows and returns their number, unless the clock is not trusted. `nowMs` is the
   * time that was checked: a second reading of the clock may come after a jump. The metrics and `sextant retention`
   * show the result.
   */
  run(what: Retained, work: (nowMs: number) => Promise<number>): Promise<void>;
}

interface RemovalDeps {
  store: ControlStore;
  clock: Clock;
  /** Those of stores on other machines. */
  clocks: readonly (() => Promise<number>)[];
  registry: Registry;
  log: WarnLog;
}

function registerMetrics(registry: Registry) {
  const labelNames = ["what"] as const;
  const registers = [registry];
  const total = new Counter({
    name: "sextant_retention_removed_total",
    help: "Rows removed by retention.",
    labelNames,
    registers,
  });
  const ranAt = new Gauge({
    name: "sextant_retention_last_run_timestamp_seconds",
    help: "Time of the last retention run.",
    labelNames,
    registers,
  });
  const paused = new Gauge({
    name: "sextant_retention_paused",
    help: "1 while rows are not removed because the clock is not trusted.",
    labelNames,
    registers,
  });
  for (const what of RETAINED) {
    total.inc({ what }, 0);
    paused.set({ what }, 0);
  }
  return { total, ranAt, paused };
}

export function createRemovals(deps: RemovalDeps): Removals {
  const { store, registry, log } = deps;
  const { total, ranAt, paused } = registerMetrics(registry);

  async function checkClock(what: Retained): Promise<{ nowMs: number; problem: string | undefined }> {
    const lastRunMs = (await listRuns(store.read)).find((run) => run.what === what)?.ranAtMs;
    // A store that does not answer confirms nothing. Retention of the other store goes on.
    const answers = await Promise.allSettled(deps.clocks.map((read) => read()));
    const otherMs = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    const nowMs = deps.clock.nowMs();
    return { nowMs, problem: findClockProblem({ nowMs, lastRunMs, otherMs }) };
  }

  return {
    async run(what, work) {
      const { nowMs, problem } = await checkClock(what);
      paused.set({ what }, problem === undefined ? 0 : 1);
      if (problem !== undefined) {
        log.warn({ what }, `retention is paused: ${problem}`);
        return;
      }
      const removed = await work(nowMs);
      total.inc({ what }, removed);
      ranAt.set({ what }, nowMs / 1000);
      await tolerate(recordRun(store, { what, ranAtMs: nowMs, removed }), log, "the next run is recorded");
    },
  };
}

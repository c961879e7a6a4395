import { Counter, Gauge, type Registry } from "prom-client";
import { systemClock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { RETAINED, type Retained, recordRun } from "./retention.ts";
import type { ControlStore } from "./store.ts";

/** Reports how many rows a run removed: in the metrics of this process and, for `sextant retention`, in the control store. */
export type RecordRemoval = (what: Retained, removed: number) => Promise<void>;

export function createRemovalRecorder(store: ControlStore, registry: Registry, log: WarnLog): RecordRemoval {
  const labelNames = ["what"] as const;
  const registers = [registry];
  const total = new Counter({
    name: "sextant_retention_removed_total",
    help: "Rows removed because their time was over.",
    labelNames,
    registers,
  });
  const ranAt = new Gauge({
    name: "sextant_retention_last_run_timestamp_seconds",
    help: "When expired rows were last searched for.",
    labelNames,
    registers,
  });
  for (const what of RETAINED) total.inc({ what }, 0);
  return async (what, removed) => {
    const nowMs = systemClock.nowMs();
    total.inc({ what }, removed);
    ranAt.set({ what }, nowMs / 1000);
    const run = { what, ranAtMs: nowMs, removed };
    await tolerate(recordRun(store, run), log, "the next run is recorded");
  };
}

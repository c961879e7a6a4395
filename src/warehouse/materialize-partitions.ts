import { Counter, Gauge, type Registry } from "prom-client";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { MARGINS } from "../materialize/margins.ts";

/** From the end of a run to the next. */
export const MATERIALIZE_EVERY_MS = MARGINS.listDirtyEveryMs;

/** Materializes the dirty partitions of finished days, oldest first. Calls `rest` between two days. */
export type MaterializePartitions = (signal: AbortSignal, rest: () => Promise<void>) => Promise<void>;

export function createMaterializePartitions(deps: {
  engine: Pick<AnalyticsEngine, "maintenance">;
  clock: Clock;
  registry: Registry;
}): MaterializePartitions {
  const { maintenance } = deps.engine;
  const registers = [deps.registry];
  const materialized = new Counter({
    name: "sextant_partitions_materialized_total",
    help: "Partitions (one project and one UTC day) that were materialized.",
    registers,
  });
  const dirty = new Gauge({
    name: "sextant_partitions_dirty",
    help: "Past partitions that are dirty: they wait for their rollups.",
    registers,
  });
  return async (signal, rest) => {
    await maintenance.rebuildOutdated(signal);
    const due = await maintenance.listDirty(deps.clock.nowMs());
    let left = due.length;
    dirty.set(left);
    for (const ofDay of Map.groupBy(due, ({ day }) => day).values()) {
      const clean = await maintenance.materialize(ofDay, signal);
      materialized.inc(clean.length);
      left -= clean.length;
      dirty.set(left);
      await rest();
    }
  };
}

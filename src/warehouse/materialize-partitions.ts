import { Counter, Gauge, type Registry } from "prom-client";
import type { ListedPartition } from "../engines/maintenance.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { HOUR_MS } from "../lib/time.ts";
import { MARGINS } from "../materialize/margins.ts";

/** From the end of a run to the next. */
export const MATERIALIZE_EVERY_MS = MARGINS.listDirtyEveryMs;

/** Of a project in an hour. A report reads fewer in a few milliseconds. */
export const FEWEST_EVENTS = 5_000;

/**
 * Materializes the dirty partitions of finished days, in the order and in the groups in which the engine lists them. Calls
 * `rest` between two groups. Then, once an hour, rolls up the running day.
 */
export type MaterializePartitions = (signal: AbortSignal, rest: () => Promise<void>) => Promise<void>;

export function createMaterializePartitions(deps: {
  engine: Pick<AnalyticsEngine, "maintenance">;
  clock: Clock;
  registry: Registry;
  /** The projects whose reports leave bots out: their rollups are made without them. */
  listWithoutBots(): Promise<readonly string[]>;
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
  let rolledUpHour = 0;
  /** Once in each hour. */
  async function rollUpHours(withoutBots: readonly string[], signal: AbortSignal): Promise<void> {
    const nowMs = deps.clock.nowMs();
    const hour = Math.floor((nowMs - MARGINS.hourIsOverMs - MARGINS.receivedMs) / HOUR_MS);
    if (hour === rolledUpHour) return;
    await maintenance.rollUpHours({ nowMs, withoutBots, fewestEvents: FEWEST_EVENTS }, signal);
    rolledUpHour = hour;
  }
  return async (signal, rest) => {
    await maintenance.rebuildOutdated(signal);
    const withoutBots = await deps.listWithoutBots();
    const due = await maintenance.listDirty(deps.clock.nowMs(), withoutBots);
    let left = due.length;
    dirty.set(left);
    for (const group of groupNeighbours(due)) {
      const clean = await maintenance.materialize(group, signal);
      materialized.inc(clean.length);
      left -= clean.length;
      dirty.set(left);
      await rest();
    }
    await rollUpHours(withoutBots, signal);
  };
}

function groupNeighbours(due: readonly ListedPartition[]): ListedPartition[][] {
  const groups: ListedPartition[][] = [];
  for (const partition of due) {
    const last = groups.at(-1);
    if (last?.[0]?.group === partition.group) last.push(partition);
    else groups.push([partition]);
  }
  return groups;
}

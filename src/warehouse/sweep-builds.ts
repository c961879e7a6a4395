/**
 * Removes what builds that no longer count have left: those that a later one has replaced, and those that never came to an end. Their
 * rows are named one build at a time, because a replicated table refuses a DELETE that asks another table: its replicas would
 * ask at different times.
 */
import { readFileSync } from "node:fs";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { buildNumber } from "./build-numbers.ts";

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const STALE = readSql("stale_builds");
const SWEEP = readSql("sweep");

/** An answer may still be reading the builds it found when it began; no report and no build takes this long. */
const KEEP_REPLACED_MS = 3_600_000;
/** Another worker may still be at it. */
const KEEP_UNFINISHED_MS = 24 * 3_600_000;
/** About 40 KB of a statement's parameters, of which ClickHouse takes 128 KB. */
const BUILDS_AT_ONCE = 500;
/** The rest is for the next sweep, also where ClickHouse is set to delete in its own time. */
const STEPS = 20;

export const SWEPT_TABLES = ["sessions", "revenue_events", "chain_visitors", "rollups", "closed_days"] as const;

type Engine = Pick<AnalyticsEngine, "selectJson" | "command">;

export async function sweepBuilds(engine: Engine, clock: Clock, cluster?: string, signal?: AbortSignal): Promise<void> {
  const given = signal ? { signal } : {};
  const nowMs = clock.nowMs();
  const params = {
    replaced_before: buildNumber(nowMs - KEEP_REPLACED_MS),
    unfinished_before: buildNumber(nowMs - KEEP_UNFINISHED_MS),
    limit: BUILDS_AT_ONCE,
  };
  for (const table of SWEPT_TABLES) {
    for (let step = 0; step < STEPS; step += 1) {
      signal?.throwIfAborted();
      const { data } = await engine.selectJson<{ project: string; of_day: string; stale: number }>(STALE, {
        params: { ...params, table },
        ...given,
      });
      if (data.length === 0) break;
      const builds = data.map(({ project, of_day, stale }) => tuple(project, of_day, stale));
      await engine.command(sweepSql(table, cluster), { params: { builds }, ...given });
    }
  }
}

/** Rows of a cluster are in the local tables; a Distributed one takes no DELETE. */
export function sweepSql(table: string, cluster: string | undefined): string {
  return SWEEP.replace("{table:Identifier}", cluster === undefined ? table : `${table}_local ON CLUSTER '${cluster}'`);
}

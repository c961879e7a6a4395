/**
 * Removes what builds that no longer count have left: those that a later one has replaced, and those that never came to an end. Their
 * rows are named one build at a time, because a replicated table refuses a DELETE that asks another table: its replicas would
 * ask at different times. Builds of running days have partitions of their own, which are dropped as a whole.
 */
import { readFileSync } from "node:fs";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";
import type { Clock } from "../lib/clock.ts";
import { BUILT_TABLES } from "./build-day.ts";
import { buildNumber } from "./build-numbers.ts";

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const STALE = readSql("stale_builds");
const STALE_SNAPSHOTS = readSql("stale_snapshots");
const SWEEP = readSql("sweep");

/** An answer may still be reading the builds it found when it began; no report and no build takes this long. */
const KEEP_REPLACED_MS = 3_600_000;
/** A running day has a build every few minutes. Reports do not look at others than they need, but may still be reading one. */
const KEEP_SNAPSHOTS_MS = 45 * 60_000;
const KEEP_UNFINISHED_SNAPSHOTS_MS = 2 * 3_600_000;
/** Another worker may still be at it. */
const KEEP_UNFINISHED_MS = 24 * 3_600_000;
/** About 40 KB of a statement's parameters, of which ClickHouse takes 128 KB. */
const BUILDS_AT_ONCE = 500;
/** The rest is for the next sweep, also where ClickHouse is set to delete in its own time. */
const STEPS = 20;

export const SWEPT_TABLES = [...BUILT_TABLES, "closed_days"] as const;

type Engine = Pick<AnalyticsEngine, "selectJson" | "command">;

export async function sweepBuilds(engine: Engine, clock: Clock, cluster?: string, signal?: AbortSignal): Promise<void> {
  const given = signal ? { signal } : {};
  const nowMs = clock.nowMs();
  const params = {
    replaced_before: buildNumber(nowMs - KEEP_REPLACED_MS),
    unfinished_before: buildNumber(nowMs - KEEP_UNFINISHED_MS),
    limit: BUILDS_AT_ONCE,
  };
  const select = async <T>(sql: string, table: string, more = {}) =>
    (await engine.selectJson<T>(sql, { params: { ...params, table, ...more }, ...given })).data;

  for (const table of BUILT_TABLES) {
    const stale = await select<{ month: number; snapshot: number }>(STALE_SNAPSHOTS, table, {
      replaced_before: buildNumber(nowMs - KEEP_SNAPSHOTS_MS),
      unfinished_before: buildNumber(nowMs - KEEP_UNFINISHED_SNAPSHOTS_MS),
    });
    for (const { month, snapshot } of stale) {
      signal?.throwIfAborted();
      await engine.command(dropSnapshotSql(table, cluster, month, snapshot), given);
    }
  }
  for (const table of SWEPT_TABLES) {
    const ofClosedDays = STALE.replace("/*closed*/", table === "closed_days" ? "" : "WHERE snapshot = 0");
    for (let step = 0; step < STEPS; step += 1) {
      signal?.throwIfAborted();
      const stale = await select<{ project: string; of_day: string; stale: number }>(ofClosedDays, table);
      if (stale.length === 0) break;
      const builds = stale.map((each) => tuple(each.project, each.of_day, each.stale));
      await engine.command(sweepSql(table, cluster), { params: { builds }, ...given });
    }
  }
}

/** Rows of a cluster are in the local tables; a Distributed one takes no DELETE. */
const target = (table: string, cluster: string | undefined) =>
  cluster === undefined ? table : `${table}_local ON CLUSTER '${cluster}'`;

export function sweepSql(table: string, cluster: string | undefined): string {
  return SWEEP.replace("{table:Identifier}", target(table, cluster));
}

function dropSnapshotSql(table: string, cluster: string | undefined, month: number, snapshot: number): string {
  return `ALTER TABLE ${target(table, cluster)} DROP PARTITION (${month}, ${snapshot})`;
}

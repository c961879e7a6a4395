import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import type { AnalyticsEngine, DuePartition } from "../engines/port.ts";
import { createMaterializePartitions } from "./materialize-partitions.ts";

const due = (project_id: string, day: string, without_bots = false): DuePartition => ({
  project_id,
  day,
  without_bots,
});

test("partitions are materialized in the order of the engine, those of a day together, by the projects' settings", async () => {
  const listed = [
    due("a", "2026-03-01"),
    due("b", "2026-03-01"),
    due("a", "2026-03-02"),
    // Less urgent: the setting of its project has changed.
    due("changed", "2026-03-01", true),
    due("changed", "2026-03-02", true),
  ];
  const asked: unknown[] = [];
  const maintenance: Partial<AnalyticsEngine["maintenance"]> = {
    rebuildOutdated: async () => undefined,
    async listDirty(nowMs, withoutBots) {
      asked.push([nowMs, withoutBots]);
      return listed;
    },
    async materialize(partitions) {
      asked.push(partitions);
      return [...partitions];
    },
  };
  const run = createMaterializePartitions({
    engine: { maintenance: maintenance as AnalyticsEngine["maintenance"] },
    clock: { nowMs: () => 7 },
    registry: new Registry(),
    listWithoutBots: async () => ["changed"],
  });
  await run(new AbortController().signal, async () => undefined);
  assert.deepEqual(asked, [
    [7, ["changed"]],
    listed.slice(0, 2),
    listed.slice(2, 3),
    listed.slice(3, 4),
    listed.slice(4),
  ]);
});

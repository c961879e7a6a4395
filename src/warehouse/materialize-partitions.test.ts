import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import type { ListedPartition } from "../engines/maintenance.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { createMaterializePartitions } from "./materialize-partitions.ts";

const due = (group: number, project_id: string, day: string, without_bots = false): ListedPartition => ({
  project_id,
  day,
  without_bots,
  group,
});

test("partitions are materialized in the order of the engine, a group at once, by the projects' settings", async () => {
  const listed = [
    due(1, "a", "2026-03-01"),
    due(1, "b", "2026-03-01"),
    due(2, "a", "2026-03-02"),
    // Less urgent: the setting of its project has changed.
    due(3, "changed", "2026-03-01", true),
    due(3, "changed", "2026-03-02", true),
  ];
  const asked: unknown[] = [];
  const maintenance: Partial<AnalyticsEngine["maintenance"]> = {
    rebuildOutdated: async () => undefined,
    async listDirty(nowMs, withoutBots) {
      asked.push([nowMs, withoutBots]);
      return listed;
    },
    async rollUpHours({ nowMs, withoutBots }) {
      asked.push(["hours", nowMs, withoutBots]);
      return 0;
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
  const hours = ["hours", 7, ["changed"]];
  assert.deepEqual(asked, [[7, ["changed"]], listed.slice(0, 2), listed.slice(2, 3), listed.slice(3), hours]);
  asked.length = 0;
  await run(new AbortController().signal, async () => undefined);
  assert.ok(!asked.some((each) => JSON.stringify(each) === JSON.stringify(hours)), "hours are rolled up once in each");
});

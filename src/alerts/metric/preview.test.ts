import assert from "node:assert/strict";
import { test } from "node:test";
import { previewMetric } from "./preview.ts";
import { getMetric } from "./read-metric.ts";
import type { SourceDeps } from "./sources.ts";

/** 8,640 windows of 30 days, each compared with those of eight weeks before. */
const METRIC = getMetric({
  ...{ of: "report", report: "kpis", value: "visitors", condition: { kind: "unusual" } },
  ...{ window: { value: 24, unit: "hours" }, every: { value: 5, unit: "minutes" } },
});
const NOW = Date.parse("2026-03-10T12:00:00Z");
const ROUNDS = 14;
/** It was 0.12 to 0.28 while labels, cells and values were made in one go, and is 0.04 to 0.08. */
const MOST = 0.1;

type Questions = { windows: Pick<SourceDeps["windows"], "ofGrid">; runLookup: () => Promise<unknown> };
const deps = {
  windows: { ofGrid: async (_owner, _question, { cells }) => Array.from({ length: cells }, (_, nth) => nth % 101) },
  runLookup: async () => ({ data: [{ first_day: "2025-12-01" }] }),
} satisfies Questions as unknown as SourceDeps;
const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] } as const;

test("a preview of a month of evaluations lets others run: no part of it needs a tenth of its processor time", async () => {
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS && !shares.some((share) => share < MOST); round += 1) {
    const watch = watchTurns();
    const { evaluations } = await previewMetric(deps, owner, METRIC, NOW, { signal: new AbortController().signal });
    assert.equal(evaluations, 8_640);
    shares.push(watch.stop());
  }
  // Collecting garbage on this thread, and caches that other work has emptied, only make the longest part longer.
  assert.ok(Math.min(...shares) < MOST, shares.join(" "));
});

/**
 * The longest time between two turns of the event loop, as a share of all: its thread's processor time, to which neither
 * other programs nor the threads that collect garbage add.
 */
function watchTurns() {
  const spent = () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  const began = spent();
  let [last, longest, isOver] = [began, 0, false];
  const turn = () => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop(): number {
      isOver = true;
      turn();
      return longest / (last - began);
    },
  };
}

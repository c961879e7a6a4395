import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { closeDueDays } from "./close-days.ts";

const NOW_MS = Date.parse("2026-03-10T00:20:00Z");

/** An engine whose clock stands still, with one day that is due until somebody has closed it. */
function engineAt(nowMs: number, last: number) {
  const named: { build: number; started_at: number }[] = [];
  const answers = (sql: string): object[] => {
    if (sql.includes("AS last")) return [{ last, started: nowMs, events: 1 }];
    if (sql.includes("count()")) return [{ n: 1 }];
    if (sql.includes("DISTINCT")) return [{ project_id: "p" }];
    return named.length > 0 ? [] : [{ project_id: "p", day: "2026-03-09", key_days: ["2026-03-09"] }];
  };
  const engine = {
    selectJson: async (sql: string) => ({ data: answers(sql) }),
    command: async () => undefined,
    insert: async ({ body }: { body: Buffer }) => void named.push(JSON.parse(body.toString())),
  };
  return { engine: engine as unknown as AnalyticsEngine, named };
}

async function buildAt(nowMs: number, last: number) {
  const { engine, named } = engineAt(nowMs, last);
  assert.equal(await closeDueDays(engine), 1);
  return named[0] ?? assert.fail("the day was named");
}

test("workers that begin in the same millisecond build under different numbers", async () => {
  const builds = new Set<number>();
  for (let i = 0; i < 20; i += 1) builds.add((await buildAt(NOW_MS, 0)).build);
  // Twenty of a thousand are all different with a chance of 83 %, and all the same with none.
  assert.ok(builds.size > 10, `${builds.size} numbers of 20 builds`);
});

test("a build is numbered above the last one, also when the engine's clock was set back", async () => {
  const ahead = (NOW_MS + 3_600_000) * 1_000;
  assert.ok((await buildAt(NOW_MS, ahead)).build > ahead);
});

test("a touch that a slower clock stamped just after the build began opens the day again", async () => {
  const { started_at } = await buildAt(NOW_MS, 0);
  assert.ok(NOW_MS - started_at >= 10_000 && NOW_MS - started_at < 150_000);
});

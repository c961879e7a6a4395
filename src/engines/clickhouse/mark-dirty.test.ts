import assert from "node:assert/strict";
import { test } from "node:test";
import { createMarks } from "./mark-dirty.ts";

const NOON = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 86_400_000;

function markingAt(startMs: number) {
  const marked: { day: string; dirty_at?: number }[] = [];
  const clock = { nowMs: startMs };
  const insert = async ({ body }: { body: Uint8Array }) => {
    for (const line of Buffer.from(body).toString().split("\n")) marked.push(JSON.parse(line));
  };
  const marks = createMarks({ insert } as unknown as Parameters<typeof createMarks>[0], () => clock.nowMs);
  return {
    clock,
    async mark(day: string) {
      marked.length = 0;
      await marks.mark([{ project_id: "p", day, dedupe_day: day }], clock.nowMs);
      return marked.map(({ dirty_at }) => (dirty_at === 0 ? "registered" : "dirty"));
    },
  };
}

test("today is registered once, an earlier day is marked dirty with every batch", async () => {
  const { mark } = markingAt(NOON);
  assert.deepEqual(await mark("2026-03-10"), ["registered"]);
  assert.deepEqual(await mark("2026-03-10"), []);
  assert.deepEqual(await mark("2026-03-09"), ["dirty"]);
  assert.deepEqual(await mark("2026-03-09"), ["dirty"]);
});

test("a day that was over stays over when the clock is set back", async () => {
  const { clock, mark } = markingAt(NOON);
  await mark("2026-03-10");
  clock.nowMs -= DAY_MS;
  assert.deepEqual(await mark("2026-03-09"), ["dirty"]);
  assert.deepEqual(await mark("2026-03-09"), ["dirty"]);
});

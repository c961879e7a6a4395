import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ControlStore, Tx } from "../control/store.ts";
import { createLinkUses } from "./link-uses.ts";

const log = { warn: () => assert.fail("nothing fails") };
const link = { id: "lnk_1", workspaceId: "w" };

/** Uses over a store that tells what is set, on a clock of the test. */
function started(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written: { uses: number; atMs: number }[] = [];
  const tx = {
    updateTable: () => ({
      set(columns: (is: unknown) => { last_used_at: number; uses: [string, string, number] }) {
        const { last_used_at: atMs, uses } = columns((...sum: unknown[]) => sum);
        written.push({ atMs, uses: uses[2] });
        const where = { where: () => where, execute: async () => [] };
        return where;
      },
    }),
  };
  const store = { write: (effect: (tx: Tx) => Promise<unknown>) => effect(tx as unknown as Tx) };
  const uses = createLinkUses(store as unknown as ControlStore);
  return {
    note: (opened: boolean, atMs: number) => uses.note(link, opened, atMs, log),
    written,
    timers: t.mock.timers,
  };
}

test("the first use is written at once, and those of the next minute together", async (t) => {
  const { note, written, timers } = started(t);
  await note(true, 1);
  assert.deepEqual(written, [{ uses: 1, atMs: 1 }]);
  for (let nth = 0; nth < 500; nth += 1) await note(true, 2 + nth);
  await note(false, 1_000);
  assert.equal(written.length, 1);
  timers.tick(60_000);
  assert.deepEqual(written.slice(1), [{ uses: 500, atMs: 1_000 }]);
  await note(true, 70_000);
  assert.equal(written.length, 2, "a minute after the last write");
  timers.tick(60_000);
  assert.deepEqual(written.slice(2), [{ uses: 1, atMs: 70_000 }]);
  timers.tick(120_000);
  assert.equal(written.length, 3, "without a use nothing is written");
  await note(true, 400_000);
  assert.deepEqual(written.slice(3), [{ uses: 1, atMs: 400_000 }]);
});

test("who asks charts only uses the link, and opens no board", async (t) => {
  const { note, written } = started(t);
  await note(false, 5);
  assert.deepEqual(written, [{ uses: 0, atMs: 5 }]);
});

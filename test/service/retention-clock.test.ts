import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { createRemovals, type Removals } from "../../src/control/removals.ts";
import { resumeRetention } from "../../src/control/retention.ts";
import { webhookJobs } from "../../src/webhooks/jobs.ts";
import { createControl, quietLog } from "../support/control.ts";

const TODAY = Date.UTC(2026, 10, 16);
const IN_2038 = Date.UTC(2038, 0, 19, 3, 14, 7);

test("a clock that jumps to 2038 removes nothing, until it is back or an operator confirms it", async (t) => {
  const { store, drop } = await createControl("sqlite");
  t.after(drop);
  let nowMs = TODAY;
  const warnings: string[] = [];
  const start = () => {
    const registry = new Registry();
    const clock = { nowMs: () => nowMs };
    const log = { warn: (_: object, message: string) => void warnings.push(message) };
    const removals = createRemovals({ store, clock, clocks: [], registry, log });
    const isPaused = async () => /sextant_retention_paused\{what="events"\} (\d)/.exec(await registry.metrics())?.[1];
    return { removals, isPaused };
  };
  let calls = 0;
  const remove = async () => {
    calls += 1;
    return 7;
  };
  const first = start();
  await first.removals.run("events", remove);
  assert.equal(calls, 1);

  nowMs = IN_2038;
  for (const service of [first, start()]) {
    await service.removals.run("events", remove);
    assert.equal(calls, 1, "nothing is removed by a clock that jumped");
    assert.equal(await service.isPaused(), "1");
  }
  assert.match(warnings[0] ?? "", /^retention is paused: the clock is 4\d\d\d days past the last run/);

  nowMs = TODAY + 3_600_000;
  await first.removals.run("events", remove);
  assert.equal(calls, 2, "a clock that is back is trusted again");
  assert.equal(await first.isPaused(), "0");

  nowMs = TODAY + 40 * 86_400_000;
  await first.removals.run("events", remove);
  assert.equal(calls, 2);
  await store.write((tx) => resumeRetention(tx, nowMs));
  await first.removals.run("events", remove);
  assert.equal(calls, 3);
});

test("a clock that jumps during a run neither removes by the new time nor is recorded", async (t) => {
  const { store, drop } = await createControl("sqlite");
  t.after(drop);
  let nowMs = TODAY;
  const clock = { nowMs: () => nowMs };
  const removals = createRemovals({ store, clock, clocks: [], registry: new Registry(), log: quietLog });
  const used: number[] = [];
  await removals.run("events", async (checkedMs) => {
    nowMs = IN_2038;
    return used.push(checkedMs);
  });
  await removals.run("events", async (checkedMs) => used.push(checkedMs));
  assert.deepEqual(used, [TODAY]);
});

test("a machine that starts in the past goes on by itself once its clock is set", async (t) => {
  const { store, drop } = await createControl("sqlite");
  t.after(drop);
  let nowMs = TODAY;
  const clock = { nowMs: () => nowMs };
  const removals = createRemovals({ store, clock, clocks: [], registry: new Registry(), log: quietLog });
  const used: number[] = [];
  for (nowMs of [TODAY, 0, TODAY + 60_000]) await removals.run("events", async (checkedMs) => used.push(checkedMs));
  assert.deepEqual(used, [TODAY, TODAY + 60_000]);
});

test("retention of the control store does not need the clock of an engine that is unavailable", async (t) => {
  const { store, drop } = await createControl("sqlite");
  t.after(drop);
  const clock = { nowMs: () => TODAY };
  const clocks = [() => Promise.reject(new Error("ClickHouse does not answer")), async () => TODAY];
  const removals = createRemovals({ store, clock, clocks, registry: new Registry(), log: quietLog });
  let calls = 0;
  await removals.run("idempotency", async () => ++calls);
  assert.equal(calls, 1);
});

test("deliveries are purged by the checked time, not by a steady clock that started in 2038", async (t) => {
  const { store, drop } = await createControl("sqlite");
  t.after(drop);
  const used: string[] = [];
  const removals: Removals = {
    async run(what, work) {
      await work(TODAY);
      used.push(what);
    },
  };
  const steady = { nowMs: () => assert.fail("the steady clock was read") };
  const job = webhookJobs({ store, steady, removals, wakeDelivery: () => undefined }).find(
    ({ name }) => name === "purge_deliveries",
  );
  await job?.run({ signal: new AbortController().signal, rest: async () => undefined });
  assert.deepEqual(used, ["deliveries"]);
});

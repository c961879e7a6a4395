import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { claimLease, createRunOnce, LEASE_MS } from "../../src/control/leases.ts";
import { migrateControl } from "../../src/control/migrate.ts";
import type { ControlSchema } from "../../src/control/schema.ts";
import { openPostgres } from "../../src/engines/control-postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, quietLog } from "../support/control.ts";
import { createDatabase } from "../support/postgres.ts";
import { startProcess, type TestProcess } from "../support/process.ts";
import { waitFor } from "../support/wait.ts";

const NODE = resolve(import.meta.dirname, "../support/lease-node.ts");
/** Renewed after a third, and given up after two: a busy machine has the other third for a write. */
const SHORT_MS = 12_000;
const NOW = 1_700_000_000_000;

async function useStore(t: TestContext, backend: "sqlite" | "postgres") {
  const control = await createControl(backend);
  t.after(control.drop);
  return control.store;
}

for (const backend of ["sqlite", "postgres"] as const)
  describe(`leases on ${backend}`, () => {
    test("of 20 parallel claims exactly one gets the lease, and the next after it has expired", async (t) => {
      const store = await useStore(t, backend);
      const claim = (nowMs: number) => (_: unknown, i: number) =>
        claimLease(store, "work", { owner: `node ${i}`, nowMs, leaseMs: LEASE_MS, longestMs: 2 * LEASE_MS });
      for (const nowMs of [NOW, NOW + LEASE_MS]) {
        const got = await Promise.all(Array.from({ length: 20 }, claim(nowMs)));
        assert.equal(got.filter(Boolean).length, 1, `at ${nowMs - NOW} ms`);
      }
    });

    test("a lease from a clock that was set back does not hold the work for hours", async (t) => {
      const store = await useStore(t, backend);
      const claim = (owner: string, nowMs: number) =>
        claimLease(store, "work", { owner, nowMs, leaseMs: LEASE_MS, longestMs: 2 * LEASE_MS });
      assert.equal(await claim("ahead", NOW + 3_600_000), true);
      assert.equal(await claim("right", NOW), true);
    });
  });

describe("work that runs once", () => {
  test("rests on all nodes after a run, and a run that a stop has cut is free for others at once", async (t) => {
    const store = await useStore(t, "postgres");
    let nowMs = NOW;
    const steady = { nowMs: () => nowMs };
    const nodes = [createRunOnce({ store, steady }), createRunOnce({ store, steady })] as const;
    const options = { restMs: 60_000, signal: new AbortController().signal };
    const ran = async (node: (typeof nodes)[number]) => node("work", options, async () => undefined);
    assert.deepEqual([await ran(nodes[0]), await ran(nodes[1]), await ran(nodes[0])], [true, false, false]);
    nowMs += 60_000;
    const stop = new AbortController();
    await nodes[1]("work", { restMs: 60_000, signal: stop.signal }, async () => stop.abort());
    assert.equal(await ran(nodes[0]), true);
  });

  test("begins on one of two nodes and stays there; after kill -9 the other takes over", async (t) => {
    const database = await createDatabase();
    const store = await openPostgres<ControlSchema>(database.url, quietLog);
    await migrateControl(store, systemClock);
    const nodes = [1, 2].map(() => startProcess([NODE, database.url, String(SHORT_MS)], {}));
    t.after(async () => {
      for (const node of nodes) await node.kill("SIGKILL");
      await store.close();
      await database.drop();
    });
    const hasBegun = (node: TestProcess) => node.stdout().includes("begun");
    for (const node of nodes) await node.waitForLine(/ready/);
    await waitFor("one to begin", () => nodes.some(hasBegun));
    const lease = () => store.read.selectFrom("leases").select(["owner", "until"]).executeTakeFirstOrThrow();
    const first = await lease();
    const renewed = await waitFor("a lease of time", async () => {
      const now = await lease();
      return now.until > first.until + SHORT_MS && now;
    });
    assert.equal(renewed.owner, first.owner);
    const running = nodes.filter(hasBegun);
    assert.equal(running.length, 1);
    await running[0]?.kill("SIGKILL");
    await waitFor("the other to take over", () => nodes.every(hasBegun));
    for (const node of nodes) assert.equal(node.stdout().split("begun").length, 2, "each began once");
  });
});

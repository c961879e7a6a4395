import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { claimDeliveries, LEASE_MS } from "../../src/webhooks/claim.ts";
import { KEEP_MS, purgeDeliveries, releaseLost } from "../../src/webhooks/housekeeping.ts";
import { findDueLanes } from "../../src/webhooks/lanes.ts";
import { redeliver, sendTest } from "../../src/webhooks/resend.ts";
import { settleAttempts } from "../../src/webhooks/settle.ts";
import { setEnabled } from "../../src/webhooks/subscribe.ts";
import { findWebhook } from "../../src/webhooks/subscriptions.ts";
import { STORES } from "../support/stores.ts";
import { waitFor } from "../support/wait.ts";
import { answer, createHooks, START_MS, type TestHooks } from "../support/webhooks.ts";

const NOTHING_FULL = { lanes: [], origins: [], failingOrigins: [] };

/** Claims due deliveries, as a worker does; each test then sets outcome and time. */
async function claim(hooks: TestHooks) {
  const nowMs = hooks.clock.nowMs();
  const lanes = await findDueLanes(hooks.store.read, nowMs, { without: NOTHING_FULL, failingToo: true, limit: 10 });
  return claimDeliveries(
    hooks.store,
    lanes.map((lane) => ({ lane, slots: 10 })),
    hooks.clock,
  );
}

function settle(hooks: TestHooks, deliveries: Awaited<ReturnType<typeof claim>>, status: number) {
  const nowMs = hooks.clock.nowMs();
  const attempts = deliveries.map((delivery) => ({
    delivery,
    outcome: answer(status),
    startedAtMs: nowMs,
    endedAtMs: nowMs,
  }));
  return settleAttempts(hooks.store, attempts, () => 0, nowMs);
}

for (const backend of STORES) {
  describe(`settling attempts on ${backend}`, () => {
    test("a late outcome under a lost lease does not change the subscription", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe("https://a.example/hook");
      const find = () => findWebhook(hooks.store.read, hooks.workspaceId, webhookId);
      await hooks.submit();
      const late = await claim(hooks);
      assert.equal(late.length, 1);
      hooks.clock.move(LEASE_MS);
      assert.equal(await releaseLost(hooks.store, hooks.clock.nowMs()), 1);
      assert.deepEqual(await settle(hooks, late, 410), { settled: [], news: [] });
      assert.equal((await settle(hooks, late, 500)).settled.length, 0);
      assert.partialDeepStrictEqual(await find(), { status: "active", failures: 0, failingSinceMs: null });
      const again = await claim(hooks);
      assert.equal((await settle(hooks, again, 200)).settled.length, 1);
      assert.deepEqual(await settle(hooks, late, 410), { settled: [], news: [] });
      assert.equal((await find())?.status, "active");
    });

    test("a success resets the failure of a delivery that was claimed with it", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe("https://a.example/hook");
      await hooks.submit();
      await settle(hooks, await claim(hooks), 200);
      for (let i = 0; i < 2; i += 1) await hooks.submit({ i });
      const [one, two, ...rest] = await claim(hooks);
      assert.ok(one && two && rest.length === 0);
      await settle(hooks, [one], 500);
      const find = () => findWebhook(hooks.store.read, hooks.workspaceId, webhookId);
      assert.equal((await find())?.failures, 1);
      await settle(hooks, [two], 200);
      assert.partialDeepStrictEqual(await find(), { failures: 0, failingSinceMs: null });
    });

    test("a lease starts when the delivery is claimed, however slow the store is", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe("https://a.example/hook");
      await hooks.submit();
      const { store } = hooks;
      const slow: TestHooks["store"] = {
        ...store,
        write: (work, ...rest) => {
          hooks.clock.move(10_000);
          return store.write(work, ...rest);
        },
      };
      assert.equal((await claim({ ...hooks, store: slow })).length, 1);
      const row = await store.read.selectFrom("deliveries").select("lease_until").executeTakeFirstOrThrow();
      assert.equal(row.lease_until, START_MS + 10_000 + LEASE_MS);
    });

    test("the log of a delivery is kept for 30 days after its last end", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe("https://a.example/hook");
      await hooks.submit();
      const [first] = await claim(hooks);
      assert.ok(first);
      await settle(hooks, [first], 200);
      hooks.clock.move(KEEP_MS - 1);
      const sentAgainAtMs = hooks.clock.nowMs();
      await hooks.store.write((tx) => redeliver(tx, hooks.workspaceId, { deliveryId: first.id }, sentAgainAtMs));
      await settle(hooks, await claim(hooks), 200);
      assert.equal(await purgeDeliveries(hooks.store, START_MS + KEEP_MS + 1), 0);
      assert.equal(await purgeDeliveries(hooks.store, sentAgainAtMs + KEEP_MS), 0);
      assert.equal(await purgeDeliveries(hooks.store, sentAgainAtMs + KEEP_MS + 1), 1);
    });
  });
}

test("a test event is refused when the webhook is disabled concurrently (postgres)", async (t) => {
  const hooks = await createHooks("postgres");
  t.after(() => hooks.drop());
  const { webhookId } = await hooks.subscribe("https://a.example/hook");
  const isWaiting = async () => {
    const waiting = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(hooks.store.read);
    return waiting.rows.length > 0;
  };
  const changed = Promise.withResolvers<void>();
  const disabling = hooks.store.write(async (tx) => {
    await setEnabled(tx, hooks.workspaceId, webhookId, false, START_MS);
    changed.resolve();
    await waitFor("the test event to wait for the row", isWaiting);
  });
  await changed.promise;
  const testing = hooks.store.write((tx) => sendTest(tx, hooks.workspaceId, webhookId, START_MS));
  await assert.rejects(testing, { code: "CONFLICT" });
  await disabling;
  assert.deepEqual(await hooks.deliveries(), []);
});

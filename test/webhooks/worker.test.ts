import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createSteadyClock } from "../../src/lib/steady-clock.ts";
import { IS_LONG } from "../../src/lib/testing.ts";
import { LEASE_MS } from "../../src/webhooks/claim.ts";
import { closeLane } from "../../src/webhooks/close-lane.ts";
import {
  hurryMisdated,
  KEEP_MS,
  purgeDeletedWebhooks,
  purgeDeliveries,
  releaseAbandoned,
  releaseLost,
} from "../../src/webhooks/housekeeping.ts";
import { PAYLOAD_BYTES } from "../../src/webhooks/outbox.ts";
import { recover, redeliver } from "../../src/webhooks/resend.ts";
import type { AttemptRequest } from "../../src/webhooks/send.ts";
import { SLOT_LIMITS } from "../../src/webhooks/slots.ts";
import { setEnabled } from "../../src/webhooks/subscribe.ts";
import { changeStatus, deleteWebhooks, findWebhook } from "../../src/webhooks/subscriptions.ts";
import { fakeLookup, openSender } from "../support/sender.ts";
import { drawnStores } from "../support/stores.ts";
import { startTarget } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";
import { answer, createHooks, createTestClock, type FakeSend, START_MS, type TestHooks } from "../support/webhooks.ts";

const HOUR = 3_600_000;
/** Of a target that hangs: each is a transaction, and many times its slots tell the same as a thousand. */
const HELD_EVENTS = IS_LONG ? 1_000 : 200;
const URL_A = "https://a.example/hook";
const URL_B = "https://b.example/hook";

const statesOf = async (hooks: TestHooks, webhookId?: string) =>
  (await hooks.deliveries(webhookId)).map((row) => row.state);

/** Responses that wait until the test releases them. */
function hanging(): { send: FakeSend; count(): number; end(): void } {
  const waiting: (() => void)[] = [];
  return {
    send: (request) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(answer(500)));
        request.signal?.addEventListener("abort", () => resolve({ kind: "failed", reason: "stopped", durationMs: 1 }));
      }),
    count: () => waiting.length,
    end: () => {
      for (const one of waiting.splice(0)) one();
    },
  };
}

test("the steady clock does not follow changes of the wall clock", () => {
  const wall = createTestClock();
  let uptimeS = 100;
  let timerMs = 0;
  const steady = createSteadyClock(
    wall,
    () => uptimeS,
    () => timerMs,
  );
  assert.equal(steady.nowMs(), START_MS);
  for (const jump of [HOUR, -2 * HOUR, 24 * HOUR, Date.parse("2038-01-19T03:14:08Z") - START_MS]) {
    wall.move(jump);
    uptimeS += 0.4;
    timerMs += 400;
    assert.ok(Math.abs(steady.nowMs() - START_MS - (uptimeS - 100) * 1000) <= 1);
  }
  const before = steady.nowMs();
  // The machine sleeps for an hour: its uptime advances, the process's timer does not.
  uptimeS += 3_601;
  timerMs += 1_000;
  assert.ok(steady.nowMs() - before > HOUR);
  uptimeS -= 10;
  assert.ok(steady.nowMs() - before > HOUR, "it never goes back");
});

for (const backend of drawnStores(import.meta.filename)) {
  describe(`the delivery worker on ${backend}`, () => {
    test("sends each event once to each subscribed target, numbered without a gap", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const a = await hooks.subscribe(URL_A);
      await hooks.subscribe(URL_B, { types: ["FORM_UPDATED"] });
      const sent: AttemptRequest[] = [];
      const worker = hooks.start((request) => {
        sent.push(request);
        return answer(200);
      });
      for (let i = 0; i < 30; i += 1) assert.equal(await hooks.submit({ i }), 1);
      worker.wake();
      await waitFor("all to be delivered", async () => (await statesOf(hooks)).every((state) => state === "delivered"));
      const bodies = sent.map(({ body }) => JSON.parse(body) as { i: number; sequence: number; webhookId: string });
      assert.deepEqual(
        bodies.map(({ sequence }) => sequence).sort((x, y) => x - y),
        Array.from({ length: 30 }, (_, i) => i + 1),
      );
      assert.ok(bodies.every((body) => body.sequence === body.i + 1 && body.webhookId === a.webhookId));
      assert.equal(new Set(sent.map(({ headers }) => headers["webhook-id"])).size, 30);
    });

    test("two workers on one store send nothing twice", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      for (let i = 0; i < 10; i += 1) await hooks.subscribe(`https://t${i}.example/`);
      const sent: string[] = [];
      const send: FakeSend = ({ headers }) => {
        sent.push(headers["webhook-id"] ?? "");
        return answer(200);
      };
      const workers = [hooks.start(send), hooks.start(send), hooks.start(send)];
      for (let i = 0; i < 20; i += 1) {
        await hooks.submit({ i });
        for (const worker of workers) worker.wake();
      }
      await waitFor("all to be delivered", async () => (await statesOf(hooks)).every((state) => state === "delivered"));
      assert.equal(sent.length, 200);
      assert.equal(new Set(sent).size, 200);
    });

    test(`a hanging target with ${HELD_EVENTS} events uses its few slots and delays no other target`, async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const hung = hanging();
      const stuckForm = await hooks.newForm();
      await hooks.subscribe(URL_A, { formId: stuckForm });
      await hooks.subscribe(URL_B);
      for (let i = 0; i < HELD_EVENTS; i += 1) await hooks.submit({ i }, stuckForm);
      let delivered = 0;
      const worker = hooks.start((request) => {
        if (request.url === URL_A) return hung.send(request);
        delivered += 1;
        return answer(200);
      });
      t.after(() => hung.end());
      await waitFor("the target to hang", () => hung.count() > 0);
      for (let i = 0; i < 100; i += 1) {
        await hooks.submit({ i });
        worker.wake();
      }
      // The clock stands and the target hangs until the end: what waits for either does not come.
      await waitFor("the others to be delivered", () => delivered === 100, 20_000);
      assert.equal(hung.count(), SLOT_LIMITS.perLane);
    });

    test("many failing targets never take the slots of healthy ones", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const hung = hanging();
      const limits = { total: 8, failing: 4, perLane: 2, perOrigin: 2 };
      const deadForm = await hooks.newForm();
      for (let i = 0; i < 10; i += 1) {
        const { webhookId } = await hooks.subscribe(`https://dead${i}.example/`, { formId: deadForm });
        await hooks.store.write((tx) =>
          tx.updateTable("webhooks").set({ failing_since: 1 }).where("id", "=", webhookId).execute(),
        );
      }
      await hooks.subscribe(URL_B);
      for (let i = 0; i < 5; i += 1) await hooks.submit({ i }, deadForm);
      let delivered = 0;
      const worker = hooks.start(
        (request) => {
          if (request.url !== URL_B) return hung.send(request);
          delivered += 1;
          return answer(200);
        },
        { limits },
      );
      t.after(() => hung.end());
      await waitFor("the dead to hang", () => hung.count() === 4);
      for (let i = 0; i < 20; i += 1) await hooks.submit({ i });
      worker.wake();
      await waitFor("the healthy to be served", () => delivered === 20);
      assert.equal(hung.count(), 4);
    });

    test("two paths that hang delay no other path of their host, however many events they have", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const hung = hanging();
      t.after(() => hung.end());
      const deadForm = await hooks.newForm();
      for (const path of ["one", "two"]) await hooks.subscribe(`https://a.example/${path}`, { formId: deadForm });
      await hooks.subscribe(URL_A);
      for (let i = 0; i < 50; i += 1) await hooks.submit({ i }, deadForm);
      let delivered = 0;
      const worker = hooks.start((request) => {
        if (request.url !== URL_A) return hung.send(request);
        delivered += 1;
        return answer(200);
      });
      await waitFor("both to hang", () => hung.count() === 2 * SLOT_LIMITS.perLane);
      for (let i = 0; i < 20; i += 1) await hooks.submit({ i });
      worker.wake();
      await waitFor("the third to be served", () => delivered === 20);
      assert.equal(hung.count(), 2 * SLOT_LIMITS.perLane);
    });

    test("new events are sent before retries", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      const limits = { total: 1, failing: 1, perLane: 1, perOrigin: 1 };
      for (let i = 0; i < 3; i += 1) await hooks.submit({ i });
      const first = hooks.start(() => answer(500), { limits });
      await waitFor("three failures", async () => (await hooks.deliveries()).every((row) => row.tries === 1));
      await first.stop();
      await hooks.submit({ i: 3 });
      hooks.clock.move(HOUR);
      const order: number[] = [];
      hooks.start(
        ({ body }) => {
          order.push((JSON.parse(body) as { i: number }).i);
          return answer(200);
        },
        { limits },
      );
      await waitFor("all four", () => order.length === 4);
      assert.deepEqual(order, [3, 0, 1, 2]);
    });

    test("410 ends the subscription and its pending deliveries, and subscribing again revives it", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      for (let i = 0; i < 20; i += 1) await hooks.submit({ i });
      const limits = { total: 1, failing: 1, perLane: 1, perOrigin: 1 };
      const worker = hooks.start(() => answer(410), { limits });
      await waitFor("the end", async () => (await statesOf(hooks)).every((state) => state === "ended"));
      const attempts = (await hooks.deliveries()).reduce((sum, row) => sum + row.attempts, 0);
      assert.equal(attempts, 1, "one answer is enough");
      assert.equal(await hooks.submit(), 0, "an ended subscription gets no deliveries");
      assert.ok(hooks.logs.some((line) => line.includes("410")));
      assert.equal((await hooks.subscribe(URL_A)).webhookId, webhookId);
      assert.equal(await hooks.submit(), 1);
      worker.wake();
      await waitFor("another attempt", async () => (await hooks.deliveries()).at(-1)?.attempts === 1);
    });

    test("disabling skips pending deliveries, and recovery sends them after enabling", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      await hooks.submit({ i: 0 });
      let status = 500;
      const worker = hooks.start(() => answer(status));
      await waitFor("a failure", async () => (await hooks.deliveries())[0]?.tries === 1);
      await hooks.store.write((tx) => setEnabled(tx, hooks.workspaceId, webhookId, false, START_MS));
      await hooks.submit({ i: 1 });
      worker.wake();
      await waitFor("skipped", async () => (await statesOf(hooks)).every((state) => state === "skipped"));
      await hooks.store.write((tx) => setEnabled(tx, hooks.workspaceId, webhookId, true, START_MS));
      status = 200;
      const result = await hooks.store.write((tx) => recover(tx, hooks.workspaceId, webhookId, START_MS - 1, START_MS));
      assert.deepEqual(result, { recovered: 2, has_more: false });
      worker.wake();
      await waitFor("delivery", async () => (await statesOf(hooks)).every((state) => state === "delivered"));
    });

    test("pending deliveries follow the webhook's current state, not the state when its lane was listed", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      await hooks.submit();
      const change = (status: "active" | "disabled" | "ended") =>
        hooks.store.write((tx) => changeStatus(tx, hooks.workspaceId, webhookId, status, null, START_MS));
      await change("disabled");
      await change("active");
      assert.equal(await closeLane(hooks.store, webhookId, START_MS), 0);
      assert.deepEqual(await statesOf(hooks), ["pending"], "enabled again, it keeps what waits");
      await change("disabled");
      assert.equal(await closeLane(hooks.store, webhookId, START_MS), 1);
      await change("active");
      await hooks.submit();
      await change("ended");
      assert.equal(await closeLane(hooks.store, webhookId, START_MS), 1);
      assert.deepEqual(await statesOf(hooks), ["skipped", "ended"]);
    });

    test("a webhook is disabled only after 120 hours and 20 failures, with a warning after a day", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      const worker = hooks.start(() => answer(500));
      const find = async () => findWebhook(hooks.store.read, hooks.workspaceId, webhookId);
      async function failOnce(atHours: number, failures: number): Promise<void> {
        hooks.clock.set(START_MS + atHours * HOUR);
        await hooks.submit();
        worker.wake();
        await waitFor(`failure ${failures}`, async () => ((await find())?.failures ?? 0) >= failures);
      }
      const early = Array.from({ length: 25 }, () => 1);
      for (const [i, hours] of early.entries()) await failOnce(hours, i + 1);
      assert.equal((await find())?.status, "active", "25 failures in an hour are an outage, not an end");
      assert.equal(hooks.logs.length, 0);
      // Other failures belong to the same outage: only the times matter here.
      await failOnce(25.1, 26);
      assert.equal(hooks.logs.filter((line) => line.includes("failed for 24 hours")).length, 1);
      await failOnce(120.9, 27);
      assert.equal((await find())?.status, "active");
      await failOnce(121.1, 28);
      await waitFor("the end of patience", async () => (await find())?.status === "disabled");
      assert.equal((await find())?.statusReason, "failures");
      assert.equal(hooks.logs.filter((line) => line.includes("failed for 24 hours")).length, 1, "one warning");
      await waitFor("what waits to be skipped", async () =>
        (await statesOf(hooks)).every((state) => state === "skipped" || state === "failed"),
      );
    });

    test("one success resets all earlier failures", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      let status = 500;
      const worker = hooks.start(() => answer(status));
      for (let i = 0; i < 20; i += 1) await hooks.submit({ i });
      worker.wake();
      const find = async () => findWebhook(hooks.store.read, hooks.workspaceId, webhookId);
      await waitFor("20 failures", async () => (await find())?.failures === 20);
      status = 200;
      hooks.clock.move(6 * 24 * HOUR);
      worker.wake();
      await waitFor("delivery", async () => (await statesOf(hooks)).every((state) => state === "delivered"));
      assert.partialDeepStrictEqual(await find(), { status: "active", failures: 0, failingSinceMs: null });
    });

    test("a dead worker's delivery is sent again under the same id only after its lease", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      const ids: string[] = [];
      // A process that dies during an attempt never reports its outcome.
      const hung = hanging();
      const note: FakeSend = (request) => {
        ids.push(request.headers["webhook-id"] ?? "");
        return ids.length === 1 ? hung.send(request) : answer(200);
      };
      const limits = { total: 1, failing: 1, perLane: 1, perOrigin: 1 };
      hooks.start(note, { limits });
      await waitFor("the attempt", () => ids.length === 1);
      hooks.clock.move(LEASE_MS - 1);
      assert.equal(await releaseLost(hooks.store, hooks.clock.nowMs()), 0);
      hooks.clock.move(1);
      assert.equal(await releaseLost(hooks.store, hooks.clock.nowMs()), 1);
      hooks.start(note);
      await waitFor("the second attempt", async () => (await statesOf(hooks))[0] === "delivered");
      assert.equal(ids.length, 2);
      assert.equal(ids[0], ids[1]);
      assert.equal((await hooks.deliveries())[0]?.attempts, 1, "an attempt nobody saw the end of does not count");
    });

    test("a worker that wakes after its lease sends nothing of what it had claimed; each is sent once", async (t) => {
      const hooks = await createHooks(backend);
      const target = await startTarget((response) => response.end());
      t.after(() => target.close());
      t.after(() => hooks.drop());
      const names = fakeLookup({ "a.example": ["127.0.0.1"] });
      // The worker is held between claim and connection, as by a freeze; the second lookup is that of the new claim.
      const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let lookups = 0;
      const sender = openSender({
        lookup: async (name) => {
          lookups += 1;
          await gates[lookups - 1]?.promise;
          return names(name);
        },
      });
      t.after(() => sender.close());
      const { webhookId } = await hooks.subscribe(`http://a.example:${target.port}/`);
      for (let i = 0; i < 5; i += 1) await hooks.submit({ i });
      hooks.start((request) => sender.send(request));
      await waitFor("the claim", async () => lookups === 1 && (await statesOf(hooks)).every((s) => s === "sending"));
      hooks.clock.move(LEASE_MS + 1);
      gates[0]?.resolve();
      await waitFor("the next claim", () => lookups === 2);
      assert.equal(target.received.length, 0, "nothing is sent under a lease that has ended");
      gates[1]?.resolve();
      await waitFor("all to be delivered", async () => (await statesOf(hooks)).every((s) => s === "delivered"));
      assert.equal(target.received.length, 5);
      const rows = await hooks.deliveries(webhookId);
      assert.deepEqual(
        rows.map((row) => row.attempts),
        [1, 1, 1, 1, 1],
        "what was not sent is no attempt",
      );
    });

    test("a lease from a clock that was set back does not hold a delivery for hours", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      hooks.clock.move(HOUR);
      hooks.start(hanging().send);
      await waitFor("the claim", async () => (await statesOf(hooks))[0] === "sending");
      hooks.clock.move(-HOUR);
      assert.equal(await releaseLost(hooks.store, hooks.clock.nowMs()), 1);
    });

    test("a start releases deliveries in flight only on a store that no other node shares", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      hooks.start(hanging().send);
      await waitFor("the claim", async () => (await statesOf(hooks))[0] === "sending");
      await releaseAbandoned(hooks.store, hooks.clock.nowMs());
      assert.deepEqual(await statesOf(hooks), [hooks.store.backend.sharedBetweenNodes ? "sending" : "pending"]);
    });

    test("a stop releases unfinished deliveries without counting an attempt", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      const hung = hanging();
      const worker = hooks.start(hung.send);
      await waitFor("the attempt", () => hung.count() === 1);
      await worker.stop(50);
      // It waits for a second for the store to say so.
      await waitFor("its release", async () => (await statesOf(hooks))[0] === "pending");
      assert.partialDeepStrictEqual((await hooks.deliveries())[0], { attempts: 0, tries: 0 });
    });

    test("a due time written by a wrong clock is moved to now", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      hooks.clock.move(365 * 24 * HOUR);
      const worker = hooks.start(() => answer(500));
      await waitFor("a failure", async () => (await hooks.deliveries())[0]?.tries === 1);
      await worker.stop();
      hooks.clock.set(START_MS);
      assert.equal(await hurryMisdated(hooks.store, hooks.clock.nowMs()), 1);
      assert.equal(await hurryMisdated(hooks.store, hooks.clock.nowMs()), 0);
      hooks.start(() => answer(200));
      await waitFor("delivery", async () => (await statesOf(hooks))[0] === "delivered");
    });

    test("a jump of the wall clock neither advances nor delays a retry", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      let uptimeS = 0;
      let reads = 0;
      const steady = createSteadyClock(
        hooks.clock,
        () => uptimeS,
        () => {
          reads += 1;
          return uptimeS * 1000;
        },
      );
      let calls = 0;
      const worker = hooks.start(
        () => {
          calls += 1;
          return answer(500);
        },
        { steady },
      );
      await hooks.submit();
      worker.wake();
      await waitFor("the first failure", async () => (await hooks.deliveries())[0]?.tries === 1);
      for (const jump of [HOUR, 24 * HOUR, -48 * HOUR]) {
        hooks.clock.move(jump);
        const before = reads;
        await waitFor("the worker to look", () => {
          worker.wake();
          return reads >= before + 5;
        });
        assert.equal(calls, 1);
      }
      await hooks.submit();
      worker.wake();
      await waitFor("a new event goes at once under any clock", () => calls === 2);
      uptimeS += 5;
      worker.wake();
      await waitFor("the retry", () => calls >= 3);
    });

    test("redelivery starts a new round under the same id, whatever its outcome was", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      const ids: string[] = [];
      const worker = hooks.start(({ headers }) => {
        ids.push(headers["webhook-id"] ?? "");
        return answer(200);
      });
      for (const round of [1, 2, 3]) {
        await waitFor(`round ${round}`, async () => {
          const [row] = await hooks.deliveries();
          return row?.state === "delivered" && row.attempts === round;
        });
        const [row] = await hooks.deliveries();
        await hooks.store.write((tx) =>
          redeliver(tx, hooks.workspaceId, { deliveryId: row?.id ?? "" }, hooks.clock.nowMs()),
        );
        worker.wake();
      }
      await waitFor("the fourth", () => ids.length === 4);
      assert.equal(new Set(ids).size, 1);
    });

    test("redelivery of a delivery that waits for a retry starts a new round", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe(URL_A);
      await hooks.submit();
      const worker = hooks.start(() => answer(500));
      await waitFor("a failure", async () => (await hooks.deliveries())[0]?.tries === 1);
      await worker.stop();
      const [row] = await hooks.deliveries();
      const which = { deliveryId: row?.id ?? "" };
      await hooks.store.write((tx) => redeliver(tx, hooks.workspaceId, which, hooks.clock.nowMs()));
      assert.partialDeepStrictEqual((await hooks.deliveries())[0], { state: "pending", tries: 0, attempts: 1 });
    });

    test("a payload above 256 KiB becomes a thin one with the place to fetch it", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const { webhookId } = await hooks.subscribe(URL_A);
      const sent: string[] = [];
      const worker = hooks.start(({ body }) => {
        sent.push(body);
        return answer(200);
      });
      await hooks.submit({ submissionId: "sub_1", formTitle: "T", text: "é".repeat(PAYLOAD_BYTES / 2) });
      worker.wake();
      await waitFor("delivery", () => sent.length === 1);
      assert.deepEqual(JSON.parse(sent[0] ?? ""), {
        formId: hooks.formId,
        formTitle: "T",
        submissionId: "sub_1",
        isThin: true,
        fetchFrom: { method: "GET", path: `/api/forms/${hooks.formId}/submissions/sub_1` },
        eventType: "FORM_SUBMISSION",
        webhookId,
        sequence: 1,
      });
    });

    test("an event reaches the subscriptions of its source only, also where another kind has the same id", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const [a, b] = [await hooks.subscribe(URL_A), await hooks.subscribe(URL_B)];
      await hooks.store.write((tx) =>
        sql`update webhooks set source_kind = 'other' where id = ${b.webhookId}`.execute(tx),
      );
      assert.equal(await hooks.submit(), 1);
      assert.equal((await hooks.deliveries(a.webhookId)).length, 1);
      assert.equal((await hooks.deliveries(b.webhookId)).length, 0);
    });

    test("deliveries and attempts are kept for 30 days, deleted webhooks are not kept", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const a = await hooks.subscribe(URL_A);
      await hooks.subscribe(URL_B);
      await hooks.submit();
      const worker = hooks.start(({ url }) => answer(url === URL_A ? 200 : 500));
      await waitFor("a first attempt each", async () => (await hooks.deliveries()).every((row) => row.attempts === 1));
      await worker.stop();
      assert.equal(await purgeDeliveries(hooks.store, START_MS + KEEP_MS), 0);
      assert.equal(await purgeDeliveries(hooks.store, START_MS + KEEP_MS + 1), 1, "what waits stays");
      assert.deepEqual(await statesOf(hooks), ["pending"]);
      const left = await hooks.store.read.selectFrom("delivery_attempts").select("delivery_id").execute();
      assert.equal(left.length, 1);
      await hooks.store.write((tx) => deleteWebhooks(tx, hooks.workspaceId, {}, START_MS));
      while ((await purgeDeletedWebhooks(hooks.store)) > 0);
      assert.deepEqual(await hooks.deliveries(), []);
      assert.deepEqual(await hooks.store.read.selectFrom("webhooks").select("id").execute(), []);
      assert.ok(a.webhookId);
    });
  });
}

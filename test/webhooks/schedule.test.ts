import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { GAPS_MS, nextAttemptAt } from "../../src/webhooks/schedule.ts";
import type { AttemptOutcome } from "../../src/webhooks/send.ts";
import { STORES } from "../support/stores.ts";
import { waitFor } from "../support/wait.ts";
import { answer, createHooks, START_MS, type TestHooks } from "../support/webhooks.ts";

const HOUR = 3_600_000;

test("the schedule is ten attempts over 75 hours and 35 minutes", () => {
  assert.equal(GAPS_MS.length, 10);
  assert.equal(
    GAPS_MS.reduce((sum, gap) => sum + gap, 0),
    75 * HOUR + 35 * 60_000 + 5_000,
  );
});

test("a gap is never shorter than its base and never longer by more than a tenth", () => {
  for (const [tries, gap] of GAPS_MS.entries()) {
    if (tries === 0) continue;
    for (const random of [0, 0.5, 0.999_999]) {
      const wait = (nextAttemptAt(tries, 1_000, undefined, () => random) ?? 0) - 1_000;
      assert.ok(wait >= gap && wait <= gap * 1.1, `${tries}: ${wait}`);
    }
  }
  assert.equal(
    nextAttemptAt(10, 0, undefined, () => 0),
    undefined,
  );
});

test("Retry-After only lengthens a gap, by a day at most", () => {
  const after = (tries: number, retryAfterMs: number) => nextAttemptAt(tries, 0, retryAfterMs, () => 0);
  assert.equal(after(1, 1_000), 5_000);
  assert.equal(after(1, 60_000), 60_000);
  assert.equal(after(9, 60_000), 24 * HOUR);
  assert.equal(after(1, 1_000 * HOUR), 24 * HOUR);
});

/** Moves the clock to just before and exactly each due time, and records when the target is called. */
async function runOut(hooks: TestHooks, random: () => number): Promise<number[]> {
  const calls: number[] = [];
  const worker = hooks.start(
    () => {
      calls.push(hooks.clock.nowMs());
      return answer(500);
    },
    { random },
  );
  await hooks.submit();
  worker.wake();
  for (;;) {
    const seen = calls.length;
    const [delivery] = await waitFor("an attempt to be settled", async () => {
      const rows = await hooks.deliveries();
      return rows.every((row) => row.state !== "sending" && row.tries === Math.max(seen, 1)) && rows;
    });
    if (delivery?.state !== "pending") return calls;
    hooks.clock.set(delivery.due_at - 1);
    const reads = hooks.clock.reads();
    await waitFor("the worker to look twice", () => {
      worker.wake();
      return hooks.clock.reads() >= reads + 5;
    });
    assert.equal(calls.length, delivery.tries, "nothing is sent a millisecond early");
    hooks.clock.set(delivery.due_at);
    worker.wake();
    await waitFor("the next attempt", () => calls.length > delivery.tries);
  }
}

for (const backend of STORES) {
  describe(`retries on ${backend}`, () => {
    test("a target that always fails is tried exactly ten times, at exactly the schedule's gaps", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      await hooks.subscribe("https://one.example/hook");
      const calls = await runOut(hooks, () => 0);
      const gaps = calls.map((at, i) => at - (i === 0 ? START_MS : (calls[i - 1] ?? 0)));
      assert.deepEqual(gaps, [...GAPS_MS]);
      const [delivery] = await hooks.deliveries();
      assert.equal(delivery?.state, "failed");
      const log = await hooks.attempts(delivery?.id ?? "");
      assert.deepEqual(
        log.map(({ number, started_at, status }) => ({ number, started_at, status })),
        calls.map((at, i) => ({ number: i + 1, started_at: at, status: 500 })),
      );
    });

    const cases: { name: string; outcome: AttemptOutcome; state: string; gap?: number; hook: string }[] = [
      { name: "200", outcome: answer(200), state: "delivered", hook: "active" },
      { name: "204", outcome: answer(204), state: "delivered", hook: "active" },
      { name: "301", outcome: answer(301), state: "pending", gap: 5_000, hook: "active" },
      { name: "304", outcome: answer(304), state: "pending", gap: 5_000, hook: "active" },
      { name: "308", outcome: answer(308), state: "pending", gap: 5_000, hook: "active" },
      { name: "400", outcome: answer(400), state: "pending", gap: 5_000, hook: "active" },
      { name: "404", outcome: answer(404), state: "pending", gap: 5_000, hook: "active" },
      { name: "410", outcome: answer(410), state: "ended", hook: "ended" },
      { name: "429 for a minute", outcome: answer(429, 60_000), state: "pending", gap: 60_000, hook: "active" },
      { name: "503 for a second", outcome: answer(503, 1_000), state: "pending", gap: 5_000, hook: "active" },
      { name: "503 for a week", outcome: answer(503, 168 * HOUR), state: "pending", gap: 24 * HOUR, hook: "active" },
      { name: "500", outcome: answer(500), state: "pending", gap: 5_000, hook: "active" },
      {
        name: "no answer in time",
        outcome: { kind: "failed", reason: "timeout", durationMs: 15_000 },
        state: "pending",
        gap: 5_000,
        hook: "active",
      },
      {
        name: "a refused address",
        outcome: { kind: "refused", reason: "address", durationMs: 1 },
        state: "pending",
        gap: 5_000,
        hook: "active",
      },
    ];
    test("each kind of response has its documented effect", async (t) => {
      const hooks = await createHooks(backend);
      t.after(() => hooks.drop());
      const made = [];
      for (const [i, one] of cases.entries()) {
        const formId = await hooks.newForm();
        const { webhookId } = await hooks.subscribe(`https://target-${i}.example/hook`, { formId });
        await hooks.submit({}, formId);
        made.push({ ...one, webhookId });
      }
      hooks.start(({ url }) => cases[Number(/target-(\d+)/.exec(url)?.[1])]?.outcome ?? answer(200)).wake();
      await waitFor("all to be settled", async () =>
        (await hooks.deliveries()).every((row) => row.tries === 1 && row.state !== "sending"),
      );
      for (const one of made) {
        const [delivery] = await hooks.deliveries(one.webhookId);
        assert.equal(delivery?.state, one.state, one.name);
        if (one.gap !== undefined) assert.equal((delivery?.due_at ?? 0) - START_MS, one.gap, one.name);
        const hook = await hooks.store.read
          .selectFrom("webhooks")
          .select("status")
          .where("id", "=", one.webhookId)
          .executeTakeFirst();
        assert.equal(hook?.status, one.hook, one.name);
      }
    });
  });
}

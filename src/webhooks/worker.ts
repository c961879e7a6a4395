/**
 * The delivery worker: one loop looks for lanes with something due, takes a fair share of each under a lease and starts the
 * attempts; what has ended is written down in batches, all that ended since the last one in one transaction. The two meet only
 * in the slots (slots.ts) and in the store: a process that dies at any moment leaves nothing but leases that run out.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { SecretBox } from "../control/secret-box.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { createWaker } from "../lib/waker.ts";
import { toRequest } from "./attempt.ts";
import { type Claimed, claimDeliveries } from "./claim.ts";
import { closeLane } from "./close-lane.ts";
import { findDueLanes, findNextDueAt } from "./lanes.ts";
import type { AttemptOutcome, Sender } from "./send.ts";
import { type Attempt, type SettleResult, settleAttempts } from "./settle.ts";
import { createSlots, SLOT_LIMITS, type SlotLimits } from "./slots.ts";

/** How long a delivery that another node wrote may wait until it is noticed here; on this node `wake` does it. */
const LOOK_EVERY_MS = 500;
/** Lanes of one look: two parts of one statement each, of which SQLite takes 500. */
const LANES_AT_ONCE = 100;
/**
 * Under load, work gathers for this long before the next transaction. Each commit is an fsync that stops the event loop on
 * SQLite; one claim and one settlement per delivery made 10,000 of them for 5,000 deliveries, 8 s of 12.
 */
const GATHER_MS = 10;
const PAUSE_AFTER_ERROR_MS = 1_000;
/** Most targets answer sooner; a stop of the whole service has 10 s. */
const DRAIN_MS = 4_000;

const NEWS = {
  failing: "a webhook has failed for a day and will be disabled after five",
  disabled: "a webhook was disabled: five days without one success",
  ended: "a webhook ended: its target answered 410",
} as const satisfies Record<SettleResult["news"][number]["news"], string>;

export interface WorkerMetrics {
  /** `waitedMs`: from the event to its first attempt; undefined for later ones. */
  started(waitedMs: number | undefined): void;
  attempted(outcome: AttemptOutcome): void;
  settled(result: SettleResult): void;
}

export interface WorkerDeps {
  store: ControlStore;
  box: SecretBox;
  send: Sender["send"];
  /** What people and targets see. */
  clock: Clock;
  /** What waits are measured by; see lib/steady-clock.ts. */
  steady: Clock;
  random: () => number;
  log: WarnLog;
  observe: WorkerMetrics;
  limits?: SlotLimits;
}

export interface DeliveryWorker {
  /** There is something new to send. */
  wake(): void;
  /** What is under way may end within the time; the rest goes back as if it had not begun. */
  stop(withinMs?: number): Promise<void>;
}

export function startWorker(deps: WorkerDeps): DeliveryWorker {
  const slots = createSlots(deps.limits ?? SLOT_LIMITS);
  const waker = createWaker();
  const cut = new AbortController();
  const ended: Attempt[] = [];
  let stopping = false;
  let settling = false;

  async function look(): Promise<void> {
    while (!stopping) {
      const gathered = delay(GATHER_MS);
      try {
        waker.clear();
        if (!(await lookOnce())) await waker.wait(await untilNextDue());
        await gathered;
      } catch (cause) {
        deps.log.warn({ err: cause }, "looking for deliveries failed; trying again");
        await waker.wait(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  /** Takes and starts what may run now. True when there may be more. */
  async function lookOnce(): Promise<boolean> {
    if (!slots.hasRoom("any")) return false;
    const nowMs = deps.steady.nowMs();
    const lanes = await findDueLanes(deps.store.read, nowMs, {
      without: slots.full(),
      failingToo: slots.hasRoom("failing"),
      limit: LANES_AT_ONCE,
    });
    let closed = 0;
    for (const lane of lanes) if (!lane.open) closed += await closeLane(deps.store, lane.webhookId, nowMs);
    const shares = slots.share(lanes.filter((lane) => lane.open));
    const claimed = shares.length === 0 ? [] : await claimDeliveries(deps.store, shares, deps.steady);
    for (const delivery of claimed) {
      slots.take(delivery.lane);
      void attempt(delivery);
    }
    return claimed.length > 0 || closed > 0;
  }

  async function untilNextDue(): Promise<number> {
    const nowMs = deps.steady.nowMs();
    const dueAtMs = await findNextDueAt(deps.store.read, nowMs);
    return Math.min(LOOK_EVERY_MS, (dueAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
  }

  async function attempt(delivery: Claimed): Promise<void> {
    const startedAtMs = deps.clock.nowMs();
    deps.observe.started(delivery.attempts === 0 ? startedAtMs - delivery.createdAtMs : undefined);
    const outcome = await sendOnce(delivery, startedAtMs);
    deps.observe.attempted(outcome);
    ended.push({ delivery, outcome, startedAtMs, endedAtMs: deps.steady.nowMs() });
    if (!settling) await settle();
  }

  async function sendOnce(delivery: Claimed, nowMs: number): Promise<AttemptOutcome> {
    try {
      return await deps.send({ ...toRequest(deps.box, delivery, nowMs), signal: cut.signal });
    } catch (cause) {
      // A fault of ours, not of the target's: logged, and counted like any failure so that the schedule slows it down.
      deps.log.warn({ err: cause, deliveryId: delivery.id }, "an attempt broke");
      return { kind: "failed", reason: "protocol", durationMs: 0 };
    }
  }

  /** Writes down what has ended until nothing is left. While one batch commits, the next one gathers. */
  async function settle(): Promise<void> {
    settling = true;
    while (ended.length > 0) {
      try {
        await delay(GATHER_MS);
        await settleBatch([...ended]);
      } catch (cause) {
        deps.log.warn({ err: cause }, "writing down deliveries failed; trying again");
        // At a stop nobody waits for a store that is away: the leases run out.
        if (cut.signal.aborted) break;
        await delay(PAUSE_AFTER_ERROR_MS);
      }
    }
    settling = false;
  }

  async function settleBatch(batch: readonly Attempt[]): Promise<void> {
    const result = await settleAttempts(deps.store, batch, deps.random, deps.steady.nowMs());
    ended.splice(0, batch.length);
    const limited = slots.isLimited();
    for (const { delivery } of batch) slots.free(delivery.lane);
    for (const { webhookId, news } of result.news) deps.log.warn({ webhookId }, NEWS[news]);
    deps.observe.settled(result);
    if (limited || result.news.length > 0) waker.wake();
  }

  async function drain(withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (slots.used() > 0 && performance.now() < giveUpAt) await delay(10);
  }

  const looking = look();
  return {
    wake: waker.wake,
    async stop(withinMs = DRAIN_MS) {
      stopping = true;
      waker.wake();
      await looking;
      await drain(withinMs);
      cut.abort();
      await drain(PAUSE_AFTER_ERROR_MS);
    },
  };
}

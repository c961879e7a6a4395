/**
 * The delivery worker. One loop polls for due lanes, claims a fair share of each under a lease and starts the attempts.
 * Ended attempts are settled in batches, one transaction each. The two sides share only the slots (slots.ts) and the
 * store: a process that dies leaves nothing but leases, which expire.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { SecretBox } from "../control/secret-box.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { createWaker } from "../lib/waker.ts";
import { findTimeLeft, toRequest } from "./attempt.ts";
import { type Claimed, claimDeliveries } from "./claim.ts";
import { closeLane } from "./close-lane.ts";
import { findDueLanes, findNextDueAt } from "./lanes.ts";
import type { AttemptOutcome, AttemptRequest, Sender } from "./send.ts";
import { type Attempt, type SettleResult, settleAttempts } from "./settle.ts";
import { createSlots, SLOT_LIMITS, type SlotLimits, type Slots } from "./slots.ts";

/** How long a delivery from another node may go unnoticed; `wake` announces those of this node. */
const POLL_EVERY_MS = 500;
/** Lanes of one poll. Each lane adds two parts to the claim statement, and SQLite allows 500. */
const LANES_AT_ONCE = 100;
/**
 * Under load, work gathers for this long before the next transaction. On SQLite each commit is an fsync that blocks the
 * event loop: one claim and one settlement per delivery made 10,000 commits for 5,000 deliveries, 8 s of 12 s.
 */
const GATHER_MS = 10;
const PAUSE_AFTER_ERROR_MS = 1_000;
/** Most targets answer within this time. The stop of the whole service has 10 s. */
const DRAIN_MS = 4_000;

const NEWS = {
  failing: "a webhook has failed for 24 hours; it will be disabled after 120 hours without a success",
  disabled: "a webhook was disabled after 120 hours without a success",
  ended: "a webhook ended because its target answered 410, or its owner unsubscribed",
} as const satisfies Record<SettleResult["news"][number]["news"], string>;

export interface WorkerMetrics {
  /** `waitedMs`: from the event to its first attempt; undefined for retries. */
  started(waitedMs: number | undefined): void;
  attempted(outcome: AttemptOutcome): void;
  settled(result: SettleResult): void;
}

export interface WorkerDeps {
  store: ControlStore;
  box: SecretBox;
  send: Sender["send"];
  /** Wall clock, for people and targets. */
  clock: Clock;
  /** Steady clock, for waits; see lib/steady-clock.ts. */
  steady: Clock;
  random: () => number;
  log: WarnLog;
  observe: WorkerMetrics;
  limits?: SlotLimits;
  /** Sends the mails among the deliveries. Without it they fail, and are tried again as any other. */
  sendMail?: SendMail;
}

/** The payload is that of channels/email.ts; the target is `mailto:` and the address. */
export type SendMail = (
  mail: {
    readonly workspaceId: string;
    readonly webhookId: string;
    readonly deliveryId: string;
    readonly targetUrl: string;
    readonly payload: string;
  },
  limits: Pick<AttemptRequest, "deadlineMs" | "mayBegin" | "signal">,
) => Promise<AttemptOutcome>;

export interface DeliveryWorker {
  /** Announces new deliveries. */
  wake(): void;
  /** Running attempts may end within the time; the others are released and do not count. */
  stop(withinMs?: number): Promise<void>;
}

export function startWorker(deps: WorkerDeps): DeliveryWorker {
  const worker = new Worker(deps);
  const polling = worker.poll();
  return {
    wake: () => worker.wake(),
    async stop(withinMs = DRAIN_MS) {
      worker.stopPolling();
      await polling;
      await worker.drain(withinMs);
      worker.abortAttempts();
      await worker.drain(PAUSE_AFTER_ERROR_MS);
    },
  };
}

class Worker {
  readonly #deps: WorkerDeps;
  readonly #slots: Slots;
  readonly #waker = createWaker();
  readonly #cut = new AbortController();
  readonly #settler: Settler;
  #isStopping = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    this.#slots = createSlots(deps.limits ?? SLOT_LIMITS);
    this.#settler = new Settler(deps, this.#slots, this.#cut.signal, this.#waker.wake);
  }

  wake(): void {
    this.#waker.wake();
  }

  stopPolling(): void {
    this.#isStopping = true;
    this.#waker.wake();
  }

  /** Ends the running attempts. */
  abortAttempts(): void {
    this.#cut.abort();
  }

  /** Waits until every attempt is settled, at most `withinMs`. */
  async drain(withinMs: number): Promise<void> {
    const giveUpAt = performance.now() + withinMs;
    while (this.#slots.used() > 0 && performance.now() < giveUpAt) await delay(10);
  }

  async poll(): Promise<void> {
    while (!this.#isStopping) {
      const gathered = delay(GATHER_MS);
      try {
        this.#waker.clear();
        if (!(await this.#claimOnce())) await this.#waker.wait(await this.#untilNextDue());
        await gathered;
      } catch (cause) {
        this.#deps.log.warn({ err: cause }, "claiming deliveries failed; retrying");
        await this.#waker.wait(PAUSE_AFTER_ERROR_MS);
      }
    }
  }

  /** Claims and starts deliveries. True when there may be more. */
  async #claimOnce(): Promise<boolean> {
    if (!this.#slots.hasRoom("any")) return false;
    const { store, steady } = this.#deps;
    const nowMs = steady.nowMs();
    const lanes = await findDueLanes(store.read, nowMs, {
      without: this.#slots.full(),
      failingToo: this.#slots.hasRoom("failing"),
      limit: LANES_AT_ONCE,
    });
    let closed = 0;
    for (const lane of lanes) if (!lane.open) closed += await closeLane(store, lane.webhookId, nowMs);
    const shares = this.#slots.share(lanes.filter((lane) => lane.open));
    const claimed = shares.length === 0 ? [] : await claimDeliveries(store, shares, steady);
    for (const delivery of claimed) {
      this.#slots.take(delivery.lane);
      void this.#attempt(delivery);
    }
    return claimed.length > 0 || closed > 0;
  }

  async #untilNextDue(): Promise<number> {
    const nowMs = this.#deps.steady.nowMs();
    const dueAtMs = await findNextDueAt(this.#deps.store.read, nowMs);
    return Math.min(POLL_EVERY_MS, (dueAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
  }

  async #attempt(delivery: Claimed): Promise<void> {
    const { clock, steady, observe } = this.#deps;
    const startedAtMs = clock.nowMs();
    observe.started(delivery.attempts === 0 ? startedAtMs - delivery.createdAtMs : undefined);
    const outcome = await this.#sendOnce(delivery, startedAtMs);
    observe.attempted(outcome);
    await this.#settler.add({ delivery, outcome, startedAtMs, endedAtMs: steady.nowMs() });
  }

  async #sendOnce(delivery: Claimed, nowMs: number): Promise<AttemptOutcome> {
    const { box, log, send, steady } = this.#deps;
    const timeLeft = () => findTimeLeft(delivery, steady.nowMs());
    const deadlineMs = timeLeft();
    if (deadlineMs <= 0) return { kind: "failed", reason: "late", durationMs: 0 };
    const limits = { deadlineMs, mayBegin: () => timeLeft() > 0, signal: this.#cut.signal };
    try {
      if (delivery.lane.style === "email") return await this.#mail(delivery, limits);
      return await send({ ...toRequest(box, delivery, nowMs), ...limits });
    } catch (cause) {
      // A bug of ours, not a fault of the target. It counts as a failure, so that the retry schedule applies.
      log.warn({ err: cause, deliveryId: delivery.id }, "a delivery attempt failed because of an internal error");
      return { kind: "failed", reason: "protocol", durationMs: 0 };
    }
  }

  async #mail({ id, lane, payload }: Claimed, limits: Parameters<SendMail>[1]): Promise<AttemptOutcome> {
    const { sendMail } = this.#deps;
    if (sendMail === undefined) return { kind: "refused", reason: "no_mail_server", durationMs: 0 };
    const { workspaceId, webhookId, targetUrl } = lane;
    return sendMail({ workspaceId, webhookId, deliveryId: id, targetUrl, payload }, limits);
  }
}

/** Settles ended attempts. While one batch commits, the next one gathers. */
class Settler {
  readonly #deps: WorkerDeps;
  readonly #slots: Slots;
  readonly #cut: AbortSignal;
  readonly #wake: () => void;
  readonly #ended: Attempt[] = [];
  #isSettling = false;

  /** `wake` is called when slots that were exhausted are free again, or when a lane has changed. */
  constructor(deps: WorkerDeps, slots: Slots, cut: AbortSignal, wake: () => void) {
    this.#deps = deps;
    this.#slots = slots;
    this.#cut = cut;
    this.#wake = wake;
  }

  async add(attempt: Attempt): Promise<void> {
    this.#ended.push(attempt);
    if (!this.#isSettling) await this.#settleAll();
  }

  async #settleAll(): Promise<void> {
    this.#isSettling = true;
    while (this.#ended.length > 0) {
      try {
        await delay(GATHER_MS);
        await this.#settleBatch([...this.#ended]);
      } catch (cause) {
        this.#deps.log.warn({ err: cause }, "settling deliveries failed; retrying");
        // A stopping process does not wait for an unavailable store: the leases expire.
        if (this.#cut.aborted) break;
        await delay(PAUSE_AFTER_ERROR_MS);
      }
    }
    this.#isSettling = false;
  }

  async #settleBatch(batch: readonly Attempt[]): Promise<void> {
    const { store, random, steady, log, observe } = this.#deps;
    const result = await settleAttempts(store, batch, random, steady.nowMs());
    this.#ended.splice(0, batch.length);
    const limited = this.#slots.isLimited();
    for (const { delivery } of batch) this.#slots.free(delivery.lane);
    for (const { webhookId, news } of result.news) log.warn({ webhookId }, NEWS[news]);
    observe.settled(result);
    if (limited || result.news.length > 0) this.#wake();
  }
}

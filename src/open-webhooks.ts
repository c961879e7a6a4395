import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ControlStore } from "./control/store.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { createSteadyClock } from "./lib/steady-clock.ts";
import { tolerate, type WarnLog } from "./lib/tolerate.ts";
import { within } from "./lib/within.ts";
import type { AddressPolicy } from "./webhooks/address-guard.ts";
import { startHousekeeper } from "./webhooks/housekeeper.ts";
import { releaseAbandoned } from "./webhooks/housekeeping.ts";
import { findOldestDueAt } from "./webhooks/lanes.ts";
import { createSecretBox } from "./webhooks/secret-box.ts";
import { createSender } from "./webhooks/send.ts";
import { SLOT_LIMITS } from "./webhooks/slots.ts";
import { startWorker, type WorkerMetrics } from "./webhooks/worker.ts";

/** Well below the 10 s that a Prometheus waits for all metrics. */
const COLLECT_MS = 2_000;

export interface Webhooks {
  /** There is something new to send. */
  wake(): void;
  close(): Promise<void>;
}

/** Where webhooks of a service that listens on `host` may go: a first try on one machine has its target on loopback. */
export function targetPolicy(host: string, allowNetworks: readonly string[]): AddressPolicy {
  return { allowNetworks, allowLoopback: /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host) };
}

/** Starts what delivers: the worker, and the housekeeper beside it. */
export async function openWebhooks(deps: {
  store: ControlStore;
  secret: Buffer;
  policy: AddressPolicy;
  version: string;
  registry: Registry;
  log: WarnLog;
  /** Old deliveries were looked for, and this many erased. */
  onPurge?: (removed: number) => Promise<void>;
}): Promise<Webhooks> {
  const { store, log } = deps;
  const steady = createSteadyClock(systemClock);
  await releaseAbandoned(store, steady.nowMs());
  const sender = createSender({
    ...deps.policy,
    clock: systemClock,
    version: deps.version,
    limits: { perTarget: SLOT_LIMITS.perOrigin, total: SLOT_LIMITS.total },
  });
  const worker = startWorker({
    store,
    box: createSecretBox(deps.secret, "webhook secrets"),
    send: sender.send,
    clock: systemClock,
    steady,
    random: Math.random,
    log,
    observe: createMetrics(deps.registry, store, steady, log),
  });
  const housekeeper = startHousekeeper({ store, steady, log, wake: worker.wake, onPurge: deps.onPurge });
  return {
    wake: worker.wake,
    async close() {
      await housekeeper.stop();
      await worker.stop();
      await sender.close();
    },
  };
}

function createMetrics(registry: Registry, store: ControlStore, steady: Clock, log: WarnLog): WorkerMetrics {
  const registers = [registry];
  const findQueueAge = async () => {
    const nowMs = steady.nowMs();
    const oldestMs = await findOldestDueAt(store.read, nowMs);
    return oldestMs === undefined ? 0 : Math.max(0, nowMs - oldestMs) / 1000;
  };
  const deliveries = new Counter({
    name: "sextant_webhook_deliveries_total",
    help: "What became of deliveries after an attempt: delivered, retry, failed, gone (410) or released (not tried).",
    labelNames: ["outcome"],
    registers,
  });
  const attempts = new Histogram({
    name: "sextant_webhook_attempt_seconds",
    help: "Length of attempts by how they ended.",
    labelNames: ["outcome"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const firstDelay = new Histogram({
    name: "sextant_webhook_first_attempt_delay_seconds",
    help: "From an event to the first attempt to deliver it.",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
    registers,
  });
  new Gauge({
    name: "sextant_webhook_queue_age_seconds",
    help: "How long the oldest delivery that could be sent now has waited.",
    registers,
    async collect() {
      // A collector that fails takes all metrics with it, also those that tell what is wrong.
      const seconds = await tolerate(within(COLLECT_MS, findQueueAge()), log, "the other metrics are told without it");
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
  return {
    started(waitedMs) {
      if (waitedMs !== undefined) firstDelay.observe(Math.max(0, waitedMs) / 1000);
    },
    attempted(outcome) {
      const name = outcome.kind === "answered" ? `${Math.floor(outcome.status / 100)}xx` : outcome.reason;
      attempts.observe({ outcome: name }, outcome.durationMs / 1000);
    },
    settled({ settled }) {
      for (const { verdict } of settled) deliveries.inc({ outcome: verdict.kind });
    },
  };
}

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { withTimeout } from "../lib/timeout.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { findOldestDueAt } from "./lanes.ts";
import type { WorkerMetrics } from "./worker.ts";

/** Well below the 10 s that Prometheus waits for a scrape. */
const COLLECT_MS = 2_000;

interface MetricsDeps {
  registry: Registry;
  store: ControlStore;
  steady: Clock;
  log: WarnLog;
}

export function createDeliveryMetrics(deps: MetricsDeps): WorkerMetrics {
  const registers = [deps.registry];
  const deliveries = new Counter({
    name: "sextant_webhook_deliveries_total",
    help: "Deliveries by outcome of an attempt: delivered, retry, failed, gone (410) or released (not sent).",
    labelNames: ["outcome"],
    registers,
  });
  const attempts = new Histogram({
    name: "sextant_webhook_attempt_seconds",
    help: "Duration of delivery attempts by outcome.",
    labelNames: ["outcome"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const firstDelay = new Histogram({
    name: "sextant_webhook_first_attempt_delay_seconds",
    help: "Time from an event to the first attempt to deliver it.",
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
    registers,
  });
  reportQueueAge(deps);
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

function reportQueueAge({ registry, store, steady, log }: MetricsDeps): void {
  const findQueueAge = async () => {
    const nowMs = steady.nowMs();
    const oldestMs = await findOldestDueAt(store.read, nowMs);
    return oldestMs === undefined ? 0 : Math.max(0, nowMs - oldestMs) / 1000;
  };
  new Gauge({
    name: "sextant_webhook_queue_age_seconds",
    help: "Waiting time of the oldest delivery that is due.",
    registers: [registry],
    async collect() {
      // A collector that fails would fail the whole scrape, including the metrics that show the problem.
      const seconds = await tolerate(
        withTimeout(COLLECT_MS, findQueueAge()),
        log,
        "the other metrics are reported without it",
      );
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
}

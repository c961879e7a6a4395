import type { Registry } from "prom-client";
import { addGauges } from "../lib/gauges.ts";
import { createLateCounter } from "../lib/late-counter.ts";
import type { AcceptDeps } from "./accept.ts";
import type { Log } from "./log.ts";

/** Returns the function that counts events as the events server accepts or refuses them. */
export function createIngestMetrics(registry: Registry, log: Log): AcceptDeps["count"] {
  const events = createLateCounter({
    name: "sextant_events_total",
    help: "Events by outcome at the events server.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  addGauges(registry, [
    ["sextant_log_bytes", "Bytes of the event log on disk.", () => log.stats().bytes],
    ["sextant_log_queued_bytes", "Bytes of requests that are waiting for their fsync.", () => log.stats().queuedBytes],
    ["sextant_log_ok", "1 while the event log accepts events.", () => (log.stats().trouble === undefined ? 1 : 0)],
    [
      "sextant_log_oldest_seconds",
      "Writer lag: age of the oldest event that is not in the warehouse yet.",
      () => oldestSeconds(log),
    ],
  ]);
  const add = {
    accepted: events.adder({ outcome: "accepted" }),
    parked: events.adder({ outcome: "parked" }),
    refused: events.adder({ outcome: "refused" }),
  };
  return (outcome, amount) => add[outcome](amount);
}

/** How long the oldest event has been waiting for the warehouse; 0 if none is. */
export function oldestSeconds(log: Pick<Log, "stats">): number {
  const at = log.stats().oldestRecordAtMs;
  return at === undefined ? 0 : Math.max(0, (Date.now() - at) / 1000);
}

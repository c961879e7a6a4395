import { Counter, Histogram, type Registry } from "prom-client";
import { PARKED_REASONS, REFUSED_REASONS } from "../contract/event-reasons.ts";
import type { WriterMetrics } from "./writer.ts";

export function createWriterMetrics(registry: Registry): WriterMetrics {
  const registers = [registry];
  const stored = new Counter({
    name: "sextant_events_stored_total",
    help: "Events stored in the warehouse, each message once.",
    registers,
  });
  const duplicates = new Counter({
    name: "sextant_events_duplicate_total",
    help: "Copies of events that were already stored.",
    registers,
  });
  const parked = new Counter({
    name: "sextant_events_parked_total",
    help: "Events parked, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const refused = new Counter({
    name: "sextant_events_refused_total",
    help: "Events refused, by reason.",
    labelNames: ["reason"],
    registers,
  });
  // Exported from 0 on, so that the first event shows as an increase.
  for (const reason of PARKED_REASONS) parked.inc({ reason }, 0);
  for (const reason of REFUSED_REASONS) refused.inc({ reason }, 0);
  const retries = new Counter({
    name: "sextant_writer_retries_total",
    help: "Batches that could not be stored and were retried.",
    registers,
  });
  const freshness = new Histogram({
    name: "sextant_event_freshness_seconds",
    help: "Time from receipt of the oldest event of a batch until the warehouse stored it.",
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120],
    registers,
  });
  return {
    stored(entries) {
      for (const { outcome, reason, events } of entries) {
        if (outcome === "stored") stored.inc(events);
        else if (outcome === "duplicate") duplicates.inc(events);
        else (outcome === "parked" ? parked : refused).inc({ reason }, events);
      }
    },
    fresh: (seconds) => freshness.observe(seconds),
    retried: () => retries.inc(),
  };
}

import { Counter, type Registry } from "prom-client";

export interface AlertMetrics {
  looked(events: number): void;
  fired(kind: "event" | "user" | "metric", matches: number): void;
}

export function createAlertMetrics(registry: Registry): AlertMetrics {
  const looked = new Counter({
    name: "sextant_alert_events_total",
    help: "Stored events that the alerts of their project have looked at.",
    registers: [registry],
  });
  const fired = new Counter({
    name: "sextant_alert_matches_total",
    help: "Matches of alerts, by their kind: event, user or metric.",
    labelNames: ["kind"],
    registers: [registry],
  });
  // From the start, so that a rate has a first value.
  for (const kind of ["event", "user", "metric"]) fired.inc({ kind }, 0);
  return {
    looked: (events) => looked.inc(events),
    fired: (kind, matches) => fired.inc({ kind }, matches),
  };
}

import { Histogram, type Registry } from "prom-client";
import { addGauges } from "../../lib/gauges.ts";
import type { SlotDeps } from "./in-slot.ts";
import type { QuerySlots } from "./slots.ts";

/** Returns the observer of finished reports. */
export function createReportMetrics(registry: Registry, slots: QuerySlots): Required<SlotDeps>["observe"] {
  const seconds = new Histogram({
    name: "sextant_report_seconds",
    help: "Duration of reports, with the wait for a query slot, by outcome: answered, abandoned, limited or failed.",
    labelNames: ["report", "outcome"],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  addGauges(registry, [
    ["sextant_reports_running", "Reports that are running.", () => slots.count().running],
    ["sextant_reports_waiting", "Reports that are waiting for a query slot.", () => slots.count().waiting],
  ]);
  return (report, outcome, elapsed) => seconds.observe({ report, outcome }, elapsed);
}

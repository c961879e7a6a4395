import { Gauge, type Registry } from "prom-client";
import { PARKED_REASONS, REFUSED_REASONS } from "../contract/event-reasons.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { systemClock } from "../lib/clock.ts";
import { createSteadyClock } from "../lib/steady-clock.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import type { LedgerTotals } from "./ledger.ts";
import { createLedgerSamples } from "./ledger-samples.ts";

/**
 * Reports the ledger of the last hour as metrics. They describe the whole warehouse, so that every worker reports the
 * same values.
 */
export function createLedgerMetrics(deps: { engine: AnalyticsEngine; registry: Registry; log: WarnLog }): {
  stop(): void;
} {
  const registers = [deps.registry];
  const clocks = { clock: systemClock, steady: createSteadyClock(systemClock) };
  const samples = createLedgerSamples({ engine: deps.engine, ...clocks, log: deps.log });
  new Gauge({
    name: "sextant_ledger_received",
    help: "Events received in the last hour, across all projects and nodes.",
    registers,
    async collect() {
      const totals = await samples.read();
      if (totals === undefined) this.remove();
      else this.set(totals.received);
    },
  });
  new Gauge({
    name: "sextant_ledger_events",
    help: "Outcome of the events received in the last hour: stored, duplicate, parked or refused.",
    labelNames: ["outcome", "reason"],
    registers,
    async collect() {
      const totals = await samples.read();
      this.reset();
      if (totals === undefined) return;
      for (const [outcome, reason, events] of listOutcomes(totals)) this.set({ outcome, reason }, events);
    },
  });
  return { stop: samples.stop };
}

/** Includes outcomes without events, so that a graph shows them as 0. */
function listOutcomes({ stored, duplicate, parked, refused }: LedgerTotals): [string, string, number][] {
  const byReason = (outcome: string, known: readonly string[], counts: Record<string, number>) =>
    [...new Set([...known, ...Object.keys(counts)])].map((reason): [string, string, number] => [
      outcome,
      reason,
      counts[reason] ?? 0,
    ]);
  return [
    ["stored", "", stored],
    ["duplicate", "", duplicate],
    ...byReason("parked", PARKED_REASONS, parked),
    ...byReason("refused", REFUSED_REASONS, refused),
  ];
}

/** What happened to the events of the last hours: received = stored + duplicate + parked + refused. */
import { INGEST_LIMITS, type IngestAnswer } from "../../contract/ingest.ts";
import { readSql } from "../../lib/sql.ts";
import type { Lookup, LookupContext } from "../run/run-lookup.ts";

const SQL = readSql(new URL("./ingest.sql", import.meta.url));
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Without the lag, which is not in the engine. */
export type IngestNumbers = Omit<IngestAnswer, "lag_seconds">;

interface Outcomes {
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
}

interface LedgerRow {
  readonly step: number;
  readonly outcome: Exclude<keyof Outcomes, "received">;
  readonly reason: string;
  readonly n_events: number;
}

export function ingestNumbers(hours: number): Lookup<IngestNumbers> {
  return { name: "ingest", run: (given) => queryIngest(hours, given) };
}

async function queryIngest(hours: number, { engine, owner, nowMs, signal }: LookupContext): Promise<IngestNumbers> {
  const stepMs = hours <= INGEST_LIMITS.minuteHours ? MINUTE_MS : HOUR_MS;
  const toMs = (Math.floor(nowMs / stepMs) + 1) * stepMs;
  const fromMs = toMs - hours * HOUR_MS;
  const params = { projects: owner.projects.map(({ id }) => id), from_ms: fromMs, to_ms: toMs, step_ms: stepMs };
  const rows = owner.projects.length === 0 ? [] : (await engine.select<LedgerRow>(SQL, { params, signal })).rows;
  const series = Array.from({ length: (toMs - fromMs) / stepMs }, (_, step) => ({
    at: timeOf(fromMs + step * stepMs),
    ...sum(rows.filter((row) => row.step === step)),
  }));
  return { from: timeOf(fromMs), to: timeOf(toMs), ...sum(rows), reasons: reasonsOf(rows), series };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

function sum(rows: readonly LedgerRow[]): Outcomes {
  const total: Outcomes = { received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0 };
  for (const { outcome, n_events } of rows) {
    total.received += n_events;
    total[outcome] += n_events;
  }
  return total;
}

function reasonsOf(rows: readonly LedgerRow[]): IngestNumbers["reasons"] {
  const found = new Map<string, { outcome: "parked" | "refused"; reason: string; events: number }>();
  for (const { outcome, reason, n_events } of rows) {
    if (outcome !== "parked" && outcome !== "refused") continue;
    const key = `${outcome} ${reason}`;
    const known = found.get(key) ?? { outcome, reason, events: 0 };
    known.events += n_events;
    found.set(key, known);
  }
  // A replay takes events back out of the parked ones.
  const left = [...found.values()].filter(({ events }) => events > 0);
  return left.sort((one, other) => other.events - one.events || one.reason.localeCompare(other.reason));
}

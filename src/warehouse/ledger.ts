/** The ledger: the outcome of every received event. received = stored + duplicate + parked + refused. */
import type { LedgerLine } from "../contract/ledger-line.ts";
import type { LedgerEntry } from "../engines/batch.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import { readSql } from "../lib/sql.ts";

const read = (name: string) => readSql(new URL(`./sql/${name}.sql`, import.meta.url));
const LEDGER = read("ledger");
const LEDGER_TOTALS = read("ledger_totals");

const MINUTE_MS = 60_000;

export interface LedgerTotals {
  received: number;
  stored: number;
  duplicate: number;
  /** By reason. */
  parked: Record<string, number>;
  refused: Record<string, number>;
}

interface Window {
  fromMs: number;
  toMs: number;
}

type Engine = Pick<AnalyticsEngine, "select">;
type Count = Pick<LedgerEntry, "outcome" | "reason"> & { n_events: number };

/** One line per project and minute with received events. */
export async function readLedger(engine: Engine, projects: readonly string[], window: Window): Promise<LedgerLine[]> {
  const params = { projects, ...minutesOf(window) };
  const { rows } = await engine.select<Count & { project_id: string; at_ms: number }>(LEDGER, { params });
  const lines = new Map<string, LedgerLine>();
  for (const { project_id, at_ms, outcome, reason, n_events } of rows) {
    const key = `${project_id}\n${at_ms}`;
    const line = lines.get(key) ?? emptyLine(project_id, at_ms);
    lines.set(key, line);
    line.received += n_events;
    line[outcome] += n_events;
    if (reason !== "") line.reasons[`${outcome}:${reason}`] = n_events;
  }
  return [...lines.values()];
}

function emptyLine(project_id: string, atMs: number): LedgerLine {
  const at = `${new Date(atMs).toISOString().slice(0, -".000Z".length)}Z`;
  return { project_id, at, received: 0, stored: 0, duplicate: 0, parked: 0, refused: 0, reasons: {} };
}

/** The totals of all projects. */
export async function readLedgerTotals(engine: Engine, window: Window, signal?: AbortSignal): Promise<LedgerTotals> {
  const options = { params: minutesOf(window), ...(signal ? { signal } : {}) };
  const { rows } = await engine.select<Count>(LEDGER_TOTALS, options);
  const totals: LedgerTotals = { received: 0, stored: 0, duplicate: 0, parked: {}, refused: {} };
  for (const { outcome, reason, n_events } of rows) {
    totals.received += n_events;
    if (outcome === "stored" || outcome === "duplicate") totals[outcome] += n_events;
    else if (n_events !== 0) totals[outcome][reason] = n_events;
  }
  return totals;
}

/** Whole minutes, the unit of the ledger. */
function minutesOf({ fromMs, toMs }: Window): { from_ms: number; to_ms: number } {
  return { from_ms: Math.floor(fromMs / MINUTE_MS) * MINUTE_MS, to_ms: Math.ceil(toMs / MINUTE_MS) * MINUTE_MS };
}

import { readFileSync } from "node:fs";
import type { AnalyticsEngine } from "../engines/analytics.ts";

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const LEDGER = readSql("ledger");
const LEDGER_TOTALS = readSql("ledger_totals");

const MINUTE_MS = 60_000;
/** Copies of an event have the same day and so the same partition. Nobody waits for the totals: one core is enough. */
const TOTALS_SETTINGS = { do_not_merge_across_partitions_select_final: 1, max_threads: 1 } as const;

export interface LedgerLine {
  project_id: string;
  at: string;
  received: number;
  stored: number;
  duplicate: number;
  parked: number;
  refused: number;
  reasons: Record<string, number>;
}

/** What became of all events of a window: received = stored + duplicate + parked + refused. */
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

type Engine = Pick<AnalyticsEngine, "selectJson">;

export async function readLedger(engine: Engine, projects: readonly string[], window: Window): Promise<LedgerLine[]> {
  return [...(await engine.selectJson<LedgerLine>(LEDGER, { params: { projects, ...minutesOf(window) } })).data];
}

/** The same of all projects together. */
export async function readLedgerTotals(engine: Engine, window: Window, signal?: AbortSignal): Promise<LedgerTotals> {
  const options = { params: minutesOf(window), settings: TOTALS_SETTINGS, ...(signal ? { signal } : {}) };
  const { data } = await engine.selectJson<Omit<LedgerTotals, "received">>(LEDGER_TOTALS, options);
  const { stored = 0, duplicate = 0, parked = {}, refused = {} } = data[0] ?? {};
  return { received: stored + duplicate + sum(parked) + sum(refused), stored, duplicate, parked, refused };
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** Whole minutes: a part of one would compare what was written in it with what of that is within the window. */
function minutesOf({ fromMs, toMs }: Window): { from: number; to: number } {
  return { from: Math.floor(fromMs / MINUTE_MS) * 60, to: Math.ceil(toMs / MINUTE_MS) * 60 };
}

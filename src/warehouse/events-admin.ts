import { readFileSync } from "node:fs";
import type { AnalyticsEngine } from "../engines/analytics.ts";

const LEDGER = readFileSync(new URL("./sql/ledger.sql", import.meta.url), "utf8");

const MINUTE_MS = 60_000;

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

type Engine = Pick<AnalyticsEngine, "selectJson">;

export async function readLedger(
  engine: Engine,
  projects: readonly string[],
  window: { fromMs: number; toMs: number },
): Promise<LedgerLine[]> {
  // Whole minutes: a part of one would compare what was written in it with what of that is within the window.
  const params = {
    projects,
    from: Math.floor(window.fromMs / MINUTE_MS) * 60,
    to: Math.ceil(window.toMs / MINUTE_MS) * 60,
  };
  return [...(await engine.selectJson<LedgerLine>(LEDGER, { params })).data];
}

import { readFileSync } from "node:fs";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { LATEST_MS } from "../lib/time.ts";
import type { ParkedRow } from "./transform.ts";

const LEDGER = readFileSync(new URL("./sql/ledger.sql", import.meta.url), "utf8");
const PARKED = readFileSync(new URL("./sql/parked.sql", import.meta.url), "utf8");

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

export type ParkedEvent = ParkedRow & { at: string };

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

export async function listParked(
  engine: Engine,
  projects: readonly string[],
  filter: { reason?: string | undefined; id?: string | undefined; limit: number },
  behind: { received_at: number; id: string } = { received_at: LATEST_MS, id: "" },
): Promise<ParkedEvent[]> {
  const params = {
    projects,
    reason: filter.reason ?? "",
    id: filter.id ?? "",
    limit: filter.limit,
    before_ms: behind.received_at,
    before_id: behind.id,
  };
  const { data } = await engine.selectJson<Omit<ParkedEvent, "received_at"> & { received_ms: number }>(PARKED, {
    params,
  });
  return data.map(({ received_ms, ...row }) => ({ ...row, received_at: received_ms }));
}

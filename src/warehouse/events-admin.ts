import { readFileSync } from "node:fs";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { createEnrich } from "../enrich/pipeline.ts";
import { type EventRules, findProblem } from "../ingest/check-event.ts";
import { systemClock } from "../lib/clock.ts";
import { dayOf } from "../lib/time.ts";
import { createDayBook, type EventDay } from "./day-book.ts";
import { type StoredRow, toStoredRow } from "./stored-row.ts";
import type { ParkedRow } from "./transform.ts";
import { toAccepted } from "./transform.ts";

const LEDGER = readFileSync(new URL("./sql/ledger.sql", import.meta.url), "utf8");
const PARKED = readFileSync(new URL("./sql/parked.sql", import.meta.url), "utf8");
const REPLAY_AT_ONCE = 1_000;

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

type Engine = Pick<AnalyticsEngine, "selectJson" | "insert">;

export async function readLedger(
  engine: Engine,
  projects: readonly string[],
  window: { fromMs: number; toMs: number },
): Promise<LedgerLine[]> {
  const params = { projects, from: Math.floor(window.fromMs / 1000), to: Math.ceil(window.toMs / 1000) };
  return [...(await engine.selectJson<LedgerLine>(LEDGER, { params })).data];
}

export async function listParked(
  engine: Engine,
  projects: readonly string[],
  filter: { reason?: string | undefined; id?: string | undefined; limit: number },
): Promise<ParkedEvent[]> {
  const params = { projects, reason: filter.reason ?? "", id: filter.id ?? "", limit: filter.limit };
  const { data } = await engine.selectJson<Omit<ParkedEvent, "received_at"> & { received_ms: number }>(PARKED, {
    params,
  });
  return data.map(({ received_ms, ...row }) => ({ ...row, received_at: received_ms }));
}

export interface ReplayResult {
  stored: number;
  stillInvalid: number;
}

/**
 * Another try for parked events: by today's rules and code, or by `rules` when given. What passes is stored under the time it
 * was received at and leaves the parking place; the ledger moves it from parked to written. What does not pass stays.
 */
export async function replayParked(
  engine: Engine,
  projects: readonly string[],
  filter: { reason?: string | undefined; id?: string | undefined; rules?: EventRules | undefined },
  onProgress: (result: ReplayResult) => void = () => undefined,
): Promise<ReplayResult> {
  const enrich = createEnrich();
  const waiting = await listParked(engine, projects, { ...filter, limit: 1_000_000 });
  const result = { stored: 0, stillInvalid: 0 };
  for (let i = 0; i < waiting.length; i += REPLAY_AT_ONCE) {
    const tried = waiting
      .slice(i, i + REPLAY_AT_ONCE)
      .map((parked) => ({ parked, row: findRow(enrich, parked, filter.rules) }));
    const good = tried.filter((one): one is { parked: ParkedEvent; row: string } => one.row !== undefined);
    await storeReplayed(engine, good);
    result.stored += good.length;
    result.stillInvalid += tried.length - good.length;
    onProgress(result);
  }
  return result;
}

/** The row an event becomes now, or undefined while it still is not one. */
function findRow(
  enrich: ReturnType<typeof createEnrich>,
  parked: ParkedEvent,
  rules: EventRules | undefined,
): string | undefined {
  if (parked.rules === "row") return parked.raw;
  const event = findJson(parked.raw);
  if (event === undefined || findProblem(event, rules ?? (parked.rules as EventRules)) !== undefined) return undefined;
  const record = {
    projectId: parked.project_id,
    workspaceId: "",
    receivedAtMs: parked.received_at,
    rules: rules ?? (parked.rules as EventRules),
    lines: false,
    idBase: parked.id,
    ...(parked.country === "" ? {} : { country: parked.country }),
  };
  const outcome = enrich(toAccepted(event as Record<string, unknown>, record, 0));
  return outcome.kind === "keep" ? JSON.stringify(toStoredRow(outcome.row)) : undefined;
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dayOfRow(row: StoredRow): EventDay {
  return { project_id: String(row.project_id), day: dayOf(Number(row.timestamp)), key_day: String(row.day) };
}

/** Every one of these may run twice: events and ledger rows collapse by their keys, and `replayed` wins over its absence. */
async function storeReplayed(engine: Engine, good: readonly { parked: ParkedEvent; row: string }[]): Promise<void> {
  if (good.length === 0) return;
  const toBody = (rows: readonly string[]) => Buffer.from(rows.join("\n"));
  await createDayBook(engine, systemClock).open(good.map(({ row }) => dayOfRow(JSON.parse(row) as StoredRow)));
  await engine.insert({
    table: "events",
    body: toBody(good.map(({ row }) => row)),
    settings: { max_partitions_per_insert_block: 0 },
  });
  const moves = good.flatMap(({ parked }) => {
    const common = {
      project_id: parked.project_id,
      minute: Math.floor(parked.received_at / 60_000) * 60,
      batch: `replay:${parked.id}`,
    };
    return [
      { ...common, outcome: "parked", reason: parked.reason, events: -1 },
      { ...common, outcome: "written", reason: "", events: 1 },
    ];
  });
  await engine.insert({ table: "ledger", body: toBody(moves.map((move) => JSON.stringify(move))) });
  const done = good.map(({ parked: { at: _at, ...row } }) => JSON.stringify({ ...row, replayed: 1 }));
  await engine.insert({ table: "parked_events", body: toBody(done) });
}

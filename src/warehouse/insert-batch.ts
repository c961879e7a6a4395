import { setTimeout as delay } from "node:timers/promises";
import { type AnalyticsEngine, EngineRefused } from "../engines/analytics.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import type { Batch, LedgerEntry, ParkedRow } from "./transform.ts";

/**
 * ClickHouse's words for data it cannot take: parse errors, unknown fields, values out of range, wrong types. Anything else it
 * refuses (a missing table, a read-only replica) is not the rows' fault, and is tried again until somebody has mended it.
 */
const DATA_CODES = new Set([6, 26, 27, 38, 41, 43, 53, 69, 70, 72, 117, 130, 131, 349, 407, 441, 467]);
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

export interface InsertDeps {
  engine: Pick<AnalyticsEngine, "insert">;
  log: WarnLog;
  signal: AbortSignal;
  onRetry?: () => void;
}

/**
 * Stores a batch, however long that takes. Repeating it with the same token changes nothing: rows collapse by their keys, and
 * the engine knows tokens it has seen. Rows the engine refuses are found by halving and parked. Rejects only when aborted.
 */
export async function insertBatch(deps: InsertDeps, batch: Batch, token: string): Promise<{ refused: number }> {
  const refusedRows: string[] = [];
  if (batch.eventCount > 0) await insertEvents(deps, batch.events, token, refusedRows);
  const ledger = moveRefused(
    batch.ledger,
    refusedRows.map((row) => JSON.parse(row) as StoredRow),
  );
  const parked = [
    ...lines(batch.parked),
    ...refusedRows.map((row, i) => JSON.stringify(toParked(row, `${token}-${i}`))),
  ];
  const entries = ledger.map((entry) => JSON.stringify({ ...entry, batch: token }));
  await Promise.all([insertLines(deps, "parked_events", parked), insertLines(deps, "ledger", entries)]);
  return { refused: refusedRows.length };
}

async function insertEvents(deps: InsertDeps, rows: Uint8Array, token: string, refused: string[]): Promise<void> {
  const problem = await persist(deps, "events", rows, token);
  if (problem === undefined) return;
  const all = lines(rows);
  if (all.length === 1) {
    deps.log.warn({ err: problem }, "the warehouse refused a row; it is parked");
    refused.push(all[0] ?? "");
    return;
  }
  const middle = Math.ceil(all.length / 2);
  await insertEvents(deps, Buffer.from(all.slice(0, middle).join("\n")), `${token}a`, refused);
  await insertEvents(deps, Buffer.from(all.slice(middle).join("\n")), `${token}b`, refused);
}

/** Resolves with the refusal when the rows themselves are at fault, and with nothing when they are stored. */
async function persist(
  deps: InsertDeps,
  table: string,
  body: Uint8Array,
  token: string | undefined,
): Promise<EngineRefused | undefined> {
  for (let pause = RETRY_FIRST_MS; ; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
    try {
      await deps.engine.insert({
        table,
        body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
        settings: { max_partitions_per_insert_block: 0 },
        signal: deps.signal,
        ...(token === undefined ? {} : { dedupeToken: token }),
      });
      return undefined;
    } catch (cause) {
      deps.signal.throwIfAborted();
      if (cause instanceof EngineRefused && DATA_CODES.has(cause.code) && table === "events") return cause;
      deps.log.warn({ err: cause, table }, "an insert failed and is tried again");
      deps.onRetry?.();
      await delay(pause, undefined, { signal: deps.signal });
    }
  }
}

function lines(rows: Uint8Array): string[] {
  return rows.length === 0
    ? []
    : Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString("utf8").split("\n");
}

interface StoredRow {
  project_id: string;
  received_at: number;
  message_id: string;
}

/** A refused row was counted as written by the transform: it moves over to the parked ones. */
function moveRefused(ledger: readonly LedgerEntry[], refused: readonly StoredRow[]): LedgerEntry[] {
  const entries = ledger.map((entry) => ({ ...entry }));
  for (const row of refused) {
    const minute = Math.floor(row.received_at / 60_000) * 60;
    const same = (entry: LedgerEntry) => entry.project_id === row.project_id && entry.minute === minute;
    const written = entries.find((entry) => same(entry) && entry.outcome === "written");
    if (written) written.events -= 1;
    const parked = entries.find((entry) => same(entry) && entry.reason === "warehouse_refused");
    if (parked) parked.events += 1;
    else
      entries.push({ project_id: row.project_id, minute, outcome: "parked", reason: "warehouse_refused", events: 1 });
  }
  return entries;
}

async function insertLines(deps: InsertDeps, table: string, rows: readonly string[]): Promise<void> {
  if (rows.length > 0) await persist(deps, table, Buffer.from(rows.join("\n")), undefined);
}

function toParked(text: string, id: string): ParkedRow {
  const row = JSON.parse(text) as StoredRow;
  return {
    project_id: row.project_id,
    received_at: row.received_at,
    id,
    reason: "warehouse_refused",
    details: "null",
    rules: "row",
    country: "",
    message_id: row.message_id,
    raw: text,
  };
}

import { setTimeout as delay } from "node:timers/promises";
import { type AnalyticsEngine, EngineRefused } from "../engines/analytics.ts";
import { dayOf } from "../lib/time.ts";
import type { WarnLog } from "../lib/tolerate.ts";
import { type DayBook, type EventDay, LATE, SETTLE_S } from "./day-book.ts";
import { decodeRow, EVENT_COLUMNS } from "./row-binary.ts";
import { receivedAtOf, type StoredRow } from "./stored-row.ts";
import type { Batch, LedgerEntry, ParkedRow } from "./transform.ts";

/**
 * ClickHouse's words for data it cannot take: parse errors, unknown fields, values out of range, wrong types, constraints. Anything else it
 * refuses (a missing table, a read-only replica) is not the rows' fault, and is tried again until somebody has mended it.
 */
const DATA_CODES = new Set([6, 26, 27, 38, 41, 43, 53, 69, 70, 72, 117, 130, 131, 349, 407, 441, 467, 469]);
/** A batch may hold any months (a backfill), and one thread parses 8 MB faster than two share them: 32 against 38 us a row. */
const INSERT_SETTINGS = { max_partitions_per_insert_block: 0, input_format_parallel_parsing: 0 } as const;
export function isDataFault(cause: unknown): cause is EngineRefused {
  return cause instanceof EngineRefused && DATA_CODES.has(cause.code);
}

const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

/** The engine may repeat the values of the row, which is parked whole beside it. */
const DETAILS_CHARS = 500;

interface Refused {
  row: StoredRow;
  problem: EngineRefused;
}

export interface InsertDeps {
  engine: Pick<AnalyticsEngine, "insert">;
  dayBook: DayBook;
  log: WarnLog;
  signal: AbortSignal;
  onRetry?: () => void;
}

/**
 * Stores a batch, however long that takes. Repeating it with the same token changes nothing: rows collapse by their keys, and
 * the engine knows tokens it has seen. Rows the engine refuses are found by halving and parked. Resolves with what became of
 * its events; rejects only when aborted.
 */
export async function insertBatch(deps: InsertDeps, batch: Batch, token: string): Promise<LedgerEntry[]> {
  const refused: Refused[] = [];
  if (batch.eventCount > 0) await insertRows(deps, batch, 0, batch.eventCount, token, refused);
  const ledger = moveRefused(batch.ledger, refused);
  const parked = [...lines(batch.parked), ...refused.map((one, i) => JSON.stringify(toParked(one, `${token}-${i}`)))];
  const entries = ledger.map((entry) => JSON.stringify({ ...entry, batch: token }));
  await Promise.all([insertLines(deps, "parked_events", parked), insertLines(deps, "ledger", entries)]);
  return ledger;
}

async function insertRows(
  deps: InsertDeps,
  batch: Batch,
  from: number,
  to: number,
  token: string,
  refused: Refused[],
): Promise<void> {
  const bytes = batch.events.subarray(batch.starts[from], batch.starts[to] ?? batch.events.length);
  const problem = await persist(deps, {
    table: "events",
    body: bytes,
    format: "RowBinary",
    columns: EVENT_COLUMNS,
    dedupeToken: token,
    days: batch.days,
    receivedMs: batch.firstReceivedAtMs,
  });
  if (problem === undefined) return;
  if (to - from === 1) {
    deps.log.warn({ err: problem }, "the warehouse refused a row; it is parked");
    refused.push({ row: decodeRow(bytes), problem });
    return;
  }
  const middle = Math.ceil((from + to) / 2);
  await insertRows(deps, batch, from, middle, `${token}a`, refused);
  await insertRows(deps, batch, middle, to, `${token}b`, refused);
}

interface Rows {
  table: string;
  body: Uint8Array;
  format?: "RowBinary";
  columns?: readonly string[];
  dedupeToken?: string;
  /** To be named before every try, however long the one before has taken. */
  days?: readonly EventDay[];
  /** Of the oldest of the events. */
  receivedMs?: number;
}

/** Resolves with the refusal when the rows themselves are at fault, and with nothing when they are stored. */
async function persist(
  deps: InsertDeps,
  { days = [], receivedMs = LATE, ...rows }: Rows,
): Promise<EngineRefused | undefined> {
  const body = Buffer.from(rows.body.buffer, rows.body.byteOffset, rows.body.byteLength);
  for (let pause = RETRY_FIRST_MS; ; pause = Math.min(pause * 2, RETRY_MAX_MS)) {
    try {
      await deps.dayBook.open(days, receivedMs, deps.signal);
      const namedAt = performance.now();
      await deps.engine.insert({ ...rows, body, settings: INSERT_SETTINGS, signal: deps.signal });
      // A machine that stood still meanwhile: a build may have been made without these events.
      if (performance.now() - namedAt > SETTLE_S * 1000) await deps.dayBook.open(days, LATE, deps.signal);
      return undefined;
    } catch (cause) {
      deps.signal.throwIfAborted();
      if (isDataFault(cause) && rows.table === "events") return cause;
      deps.log.warn({ err: cause, table: rows.table }, "an insert failed and is tried again");
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

/** A refused row was counted as written by the transform: it moves over to the parked ones. */
function moveRefused(ledger: readonly LedgerEntry[], refused: readonly Refused[]): LedgerEntry[] {
  const entries = ledger.map((entry) => ({ ...entry }));
  for (const { row } of refused) {
    const projectId = String(row.project_id);
    const minute = Math.floor(receivedAtOf(row) / 60_000) * 60;
    const same = (entry: LedgerEntry) => entry.project_id === projectId && entry.minute === minute;
    const day = dayOf(Number(row.timestamp));
    const written = entries.find((entry) => same(entry) && entry.outcome === "written" && entry.day === day);
    if (written) written.events -= 1;
    const parked = entries.find((entry) => same(entry) && entry.reason === "warehouse_refused");
    if (parked) parked.events += 1;
    else {
      const common = { project_id: projectId, minute, day: dayOf(minute * 1000) };
      entries.push({ ...common, outcome: "parked", reason: "warehouse_refused", events: 1 });
    }
  }
  return entries;
}

async function insertLines(deps: InsertDeps, table: string, rows: readonly string[]): Promise<void> {
  if (rows.length > 0) await persist(deps, { table, body: Buffer.from(rows.join("\n")) });
}

function toParked({ row, problem }: Refused, id: string): ParkedRow {
  return {
    project_id: String(row.project_id),
    received_at: receivedAtOf(row),
    id,
    reason: "warehouse_refused",
    details: JSON.stringify(problem.message.slice(0, DETAILS_CHARS).toWellFormed()),
    rules: "row",
    country: "",
    message_id: String(row.message_id),
    raw: JSON.stringify(row),
  };
}

/**
 * Stores the batches of one node's log, each once. ClickHouse has no transactions; the order of writes replaces them:
 * the cursor file records a batch as pending before its first row is sent, and as done after its last. After a crash
 * the same batch is sent again: rows collapse by their keys, and ClickHouse recognises known tokens. Halving isolates
 * rows that it refuses, and they are parked.
 */
import { nodeFiles } from "../../lib/files.ts";
import { dayOf } from "../../lib/time.ts";
import { type BatchRange, CursorMoved, type EncodedBatch, isSamePosition, type LedgerEntry } from "../batch.ts";
import type { EngineRefused } from "../failures.ts";
import { findRefused, type Part, type Refused } from "../halving.ts";
import { type ParkedRow, readParkedLines } from "../parked-row.ts";
import type { BatchStore, BatchStoreOptions } from "../port.ts";
import { retry } from "../retry.ts";
import { decodeRow } from "../row-binary.ts";
import { openCursor } from "./cursor.ts";
import { refusalOf } from "./errors.ts";
import { insertLedger } from "./insert-ledger.ts";
import { insertParked } from "./insert-parked.ts";
import { type EventsTarget, storeEvents, toEventRows } from "./store-events.ts";

/** Bounds the error text: it may repeat the row's values, and the whole row is parked with it. */
const DETAILS_CHARS = 500;

export async function openBatchStore(
  target: EventsTarget,
  { cursorFile, onRetry }: BatchStoreOptions,
): Promise<BatchStore> {
  const cursor = await openCursor(nodeFiles, cursorFile);
  const durable = () => cursor.get().done;
  return {
    form: "rows",
    async position() {
      const { done, pending } = cursor.get();
      return { done, ...(pending === undefined ? {} : { pendingEnd: pending.end }) };
    },
    async store(batch, range, signal) {
      const { done } = cursor.get();
      if (isSamePosition(done, range.to)) return { ledger: batch.ledger, durable: done };
      if (!isSamePosition(done, range.from))
        throw new CursorMoved(`the log is stored up to ${done.segment}.${done.offset}`);
      await cursor.store({ done, pending: { end: range.to } });
      const ledger = await storeRows({ target, signal, onRetry }, batch, range);
      await cursor.store({ done: range.to });
      return { ledger, durable: durable() };
    },
    flush: async () => durable(),
    moveTo: (done) => cursor.store({ done }),
    close: () => cursor.close(),
  };
}

interface Sink {
  readonly target: EventsTarget;
  readonly signal: AbortSignal;
  readonly onRetry: ((cause: unknown) => void) | undefined;
}

async function storeRows(sink: Sink, batch: EncodedBatch, { token }: BatchRange): Promise<LedgerEntry[]> {
  if (batch.form !== "rows") throw new Error("ClickHouse stores rows");
  const inserted = { ...batch, rows: toEventRows(batch.events, batch.starts) };
  const refused = await findRefused(batch.eventCount, (part) => insertSome(sink, inserted, part, token));
  const parked = refused.map((one) => toParked(batch, one, `${token}-${one.nth}`));
  const ledger = moveRefused(batch, refused);
  const { clickhouse } = sink.target;
  await retry(sink, () => insertParked(clickhouse, [...readParkedLines(batch.parked), ...parked], sink.signal));
  const entries = ledger.map((entry) => ({ ...entry, batch: token }));
  await retry(sink, () => insertLedger(clickhouse, entries, sink.signal));
  return ledger;
}

type Inserted = EncodedBatch & { readonly rows: Buffer };

async function insertSome(sink: Sink, batch: Inserted, { from, to, path }: Part, token: string) {
  const rows = batch.rows.subarray(batch.starts[from], batch.starts[to] ?? batch.rows.length);
  const { partitions, firstReceivedAtMs: receivedMs } = batch;
  const some = { rows, partitions, receivedMs, dedupeToken: `${token}${path}` };
  return retry(sink, () => storeEvents(sink.target, some, sink.signal).then(() => undefined, refusalOf));
}

function rowAt({ events, starts }: EncodedBatch, nth: number) {
  const start = starts[nth] ?? 0;
  let before = 0;
  for (const rows of events) {
    if (start < before + rows.length)
      return decodeRow(rows.subarray(start - before, (starts[nth + 1] ?? Infinity) - before));
    before += rows.length;
  }
  throw new Error(`the batch has no row ${nth}`);
}

/** The transform counted a refused row as stored; it is moved to parked. */
function moveRefused(batch: EncodedBatch, refused: readonly Refused<EngineRefused>[]): LedgerEntry[] {
  const entries = batch.ledger.map((entry) => ({ ...entry }));
  for (const { nth } of refused) {
    const row = rowAt(batch, nth);
    const minute = Math.floor(row.received_at / 60_000) * 60;
    const day = dayOf(row.timestamp);
    const ofMinute = entries.filter((entry) => entry.project_id === row.project_id && entry.minute === minute);
    const stored = ofMinute.find((entry) => entry.outcome === "stored" && entry.day === day);
    if (stored) stored.events -= 1;
    const parked = ofMinute.find(({ reason }) => reason === "warehouse_refused");
    if (parked) parked.events += 1;
    else {
      const common = { project_id: row.project_id, minute, day: dayOf(minute * 1000) };
      entries.push({ ...common, outcome: "parked", reason: "warehouse_refused", events: 1 });
    }
  }
  return entries;
}

function toParked(batch: EncodedBatch, { nth, problem }: Refused<EngineRefused>, id: string): ParkedRow {
  const row = rowAt(batch, nth);
  return {
    project_id: row.project_id,
    received_at: row.received_at,
    id,
    reason: "warehouse_refused",
    details: JSON.stringify(problem.message.slice(0, DETAILS_CHARS).toWellFormed()),
    rules: "row",
    country: "",
    message_id: row.message_id,
    raw: JSON.stringify(row),
  };
}

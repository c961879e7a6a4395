import type { ParkedReason } from "../contract/event-reasons.ts";
import type { BatchForm, EncodedBatch, EventPartition, LedgerEntry } from "../engines/batch.ts";
import { createEnrich, type Enrich } from "../enrich/pipeline.ts";
import type { EventRow } from "../enrich/row.ts";
import { decodeRequest, type LoggedRequest, spareIdOf, unpackBody } from "../ingest/logged-request.ts";
import { readBody } from "../ingest/read-body.ts";
import { type BufferPool, createBufferPool } from "../lib/buffer-pool.ts";
import { parseKeepingNumbers, stringifyKeepingNumbers } from "../lib/json-numbers.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { createSentReader, type SentItem } from "./read-sent.ts";
import { createEventWriter, type EventWriter } from "./stored-row.ts";

/** A log record with its id, from which the ids of its parked events are made. */
export interface IdentifiedRecord {
  payload: Uint8Array;
  recordId: string;
}

/** A transformed batch of the log: rows for three tables. */
export type Batch = EncodedBatch;

export interface ParkedRow {
  project_id: string;
  received_at: number;
  id: string;
  reason: ParkedReason;
  details: string;
  rules: string;
  country: string;
  message_id: string;
  raw: string;
}

/** Pure: the same log records always give the same rows, also after a crash. */
export function createTransform(
  enrich: Enrich = createEnrich(),
  buffers: BufferPool = createBufferPool(0),
  form: BatchForm = "columns",
): (records: readonly IdentifiedRecord[]) => Batch {
  const readSent = createSentReader();
  const writer = createEventWriter(form, buffers);
  return (records) => {
    writer.clear();
    const sink = createSink(form, writer);
    for (const { payload, recordId } of records) {
      const { request, body } = decodeRequest(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength));
      sink.saw(request.receivedAtMs);
      if (request.refused) sink.count(request, "refused", request.refused.why, request.refused.count);
      else transformRequest(enrich, sink, request, readItems(readSent, request, body), recordId);
    }
    return sink.finish();
  };
}

function transformRequest(
  enrich: Enrich,
  sink: Sink,
  request: LoggedRequest,
  items: readonly Found[],
  recordId: string,
): void {
  items.forEach((item, index) => {
    const spareId = spareIdOf(request, index);
    const parkAs = (reason: ParkedReason, details: unknown) =>
      sink.park({
        project_id: request.projectId,
        received_at: request.receivedAtMs,
        id: `${recordId}-${index}`,
        reason,
        details: JSON.stringify(details ?? null).toWellFormed(),
        rules: request.rules,
        country: request.country ?? "",
        message_id: textOf(item.event?.message_id) || (request.repeatable ? spareId : ""),
        raw: (item.raw ?? stringifyKeepingNumbers(item.event ?? {})).toWellFormed(),
      });
    if (item.invalid !== undefined || item.event === undefined) {
      parkAs(item.invalid?.why ?? "unreadable_record", item.invalid?.failures ?? item.unreadable);
      return;
    }
    const { event: raw, hasOthers, context, properties } = item;
    const outcome = enrich({ origin: request, spareId, raw, hasOthers, context, properties });
    if (outcome.kind === "keep") sink.write(request, outcome.row);
    else parkAs(outcome.why, String(outcome.cause));
  });
}

/** An event of a body, or a whole body that cannot be parsed, with the reason. */
type Found = SentItem & { unreadable?: string };

/**
 * The acceptor parsed the same bytes with the same functions, so an unreadable body is a bug or was accepted by another
 * version. It is parked whole: the log is read in order, and an error would block all later events. No client can cause
 * this, so it has its own reason.
 */
function readItems(readSent: (body: Buffer) => Found[], request: LoggedRequest, logged: Buffer): Found[] {
  let unreadable: string;
  try {
    const body = unpackBody(request, logged);
    if (request.clean) return readSent(body);
    const read = readBody(body, request.rules, request.lines, parseKeepingNumbers);
    if (read.kind === "events") return read.items;
    unreadable = read.message;
  } catch (cause) {
    unreadable = String(cause);
  }
  return [{ event: undefined, invalid: undefined, raw: logged.toString(), unreadable }];
}

type Sink = ReturnType<typeof createSink>;
type Counted = LedgerEntry & { events: number };

function createLedger() {
  const entries = new Map<string, Counted>();
  let last: Counted | undefined;
  let lastDay = -1;

  function count(
    request: { projectId: string; receivedAtMs: number },
    outcome: LedgerEntry["outcome"],
    reason: string,
    events: number,
    timestamp = request.receivedAtMs,
  ): void {
    const minute = Math.floor(request.receivedAtMs / 60_000) * 60;
    const dayNumber = Math.floor(timestamp / DAY_MS);
    if (lastDay !== dayNumber || !isEntryOf(last, request.projectId, minute, outcome, reason)) {
      const key = `${request.projectId}\n${minute}\n${outcome}\n${reason}\n${dayNumber}`;
      const fresh = { project_id: request.projectId, minute, outcome, reason, day: dayOf(timestamp), events: 0 };
      last = entries.get(key) ?? fresh;
      lastDay = dayNumber;
      entries.set(key, last);
    }
    last.events += events;
  }

  return { count, list: () => [...entries.values()] };
}

function createSink(form: BatchForm, events: EventWriter) {
  const parked: string[] = [];
  const ledger = createLedger();
  const { count } = ledger;
  const partitions = createPartitionSet();
  let first = Number.POSITIVE_INFINITY;
  let eventCount = 0;
  return {
    count,
    saw(receivedAtMs: number): void {
      first = Math.min(first, receivedAtMs);
    },
    write(request: LoggedRequest, row: EventRow): void {
      events.add(row);
      eventCount += 1;
      partitions.add(row);
      count(request, "stored", "", 1, row.timestamp);
    },
    park(row: ParkedRow): void {
      parked.push(JSON.stringify(row));
      count({ projectId: row.project_id, receivedAtMs: row.received_at }, "parked", row.reason, 1);
    },
    finish(): Batch {
      const encoded = events.finish();
      return {
        form,
        events: [encoded.events],
        starts: encoded.starts,
        eventCount,
        parked: toLines(parked),
        ledger: ledger.list(),
        partitions: partitions.list(),
        firstReceivedAtMs: first,
      };
    },
  };
}

/** Nearly every event counts under the same entry as the previous one. */
function isEntryOf(
  entry: Counted | undefined,
  projectId: string,
  minute: number,
  outcome: LedgerEntry["outcome"],
  reason: string,
): entry is Counted {
  return (
    entry !== undefined &&
    entry.minute === minute &&
    entry.outcome === outcome &&
    entry.reason === reason &&
    entry.project_id === projectId
  );
}

/** Nearly every event belongs to the partition of the previous one: then `add` compares only three values. */
function createPartitionSet() {
  const found = new Map<string, EventPartition>();
  let last = { project_id: "", day: -1, dedupe_day: "" };
  return {
    add({ project_id, timestamp, day: dedupe_day }: EventRow): void {
      const day = Math.floor(timestamp / DAY_MS);
      if (day === last.day && dedupe_day === last.dedupe_day && project_id === last.project_id) return;
      last = { project_id, day, dedupe_day };
      const key = `${project_id}\n${day}\n${dedupe_day}`;
      if (!found.has(key)) found.set(key, { project_id, day: dayOf(timestamp), dedupe_day });
    },
    list: (): EventPartition[] => [...found.values()],
  };
}

function toLines(rows: readonly string[]): Uint8Array {
  return Buffer.from(rows.join("\n"));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

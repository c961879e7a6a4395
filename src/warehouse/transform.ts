import type { ParkedReason } from "../contract/event-reasons.ts";
import type { EncodedBatch, EventPartition, LedgerEntry } from "../engines/port.ts";
import { createEnrich, type Enrich } from "../enrich/pipeline.ts";
import type { AcceptedEvent } from "../enrich/record.ts";
import type { EventRow } from "../enrich/row.ts";
import { type Item, readBody, readCleanBody } from "../ingest/read-body.ts";
import { decodeRecord, type RequestRecord } from "../ingest/record.ts";
import { type BufferPool, createBufferPool } from "../lib/buffer-pool.ts";
import { keepNumbersOf, parseKeepingNumbers, stringifyKeepingNumbers } from "../lib/json-numbers.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { createEventWriter } from "./stored-row.ts";

/** One record of the log, by its place: the place makes the ids of what is parked from it. */
export interface LoggedRequest {
  payload: Uint8Array;
  place: string;
}

/** What a part of the log becomes: rows for three tables. */
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

/** Pure: the same records give the same rows, in this thread or another, now or after a crash. */
export function createTransform(
  enrich: Enrich = createEnrich(),
  buffers: BufferPool = createBufferPool(0),
): (requests: readonly LoggedRequest[]) => Batch {
  return (requests) => {
    const sink = createSink(buffers);
    for (const { payload, place } of requests) {
      const { record, body } = decodeRecord(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength));
      sink.saw(record.receivedAtMs);
      if (record.refused) sink.count(record, "refused", record.refused.why, record.refused.count);
      else transformRequest(enrich, sink, record, body, place);
    }
    return sink.finish();
  };
}

function transformRequest(enrich: Enrich, sink: Sink, record: RequestRecord, body: Buffer, place: string): void {
  readItems(record, body).forEach((item, index) => {
    const parkAs = (reason: ParkedReason, details: unknown) =>
      sink.park({
        project_id: record.projectId,
        received_at: record.receivedAtMs,
        id: `${place}-${index}`,
        reason,
        details: JSON.stringify(details ?? null).toWellFormed(),
        rules: record.rules,
        country: record.country ?? "",
        message_id: textOf(item.event?.message_id) || (record.repeatable ? generatedId(record, index) : ""),
        raw: (item.raw ?? stringifyKeepingNumbers(item.event ?? {})).toWellFormed(),
      });
    if (item.invalid !== undefined || item.event === undefined) {
      parkAs(item.invalid?.why ?? "unreadable_record", item.invalid?.failures ?? item.unreadable);
      return;
    }
    const outcome = enrich(toAccepted(item.event, record, index));
    if (outcome.kind === "keep") sink.write(record, outcome.row);
    else parkAs(outcome.why, String(outcome.cause));
  });
}

/** An event of a body, or in its place all of a body that cannot be read, and why it cannot. */
type Found = Item & { unreadable?: string };

/**
 * The acceptor took the same bytes by the same functions, so a body that cannot be read is a bug or was taken by another version.
 * It is parked whole: the log is read in order, and throwing would hold up every event behind it for good. No client can cause
 * that, so it has a reason that no client's mistake has.
 */
function readItems(record: RequestRecord, body: Buffer): Found[] {
  let unreadable: string;
  try {
    if (record.clean) return readCleanBody(body);
    const read = readBody(body, record.rules, record.lines, parseKeepingNumbers);
    if (read.kind === "events") return read.items;
    unreadable = read.message;
  } catch (cause) {
    unreadable = String(cause);
  }
  return [{ event: undefined, invalid: undefined, raw: body.toString(), unreadable }];
}

/** What an event has from its request, besides what it says itself. */
type Origin = Pick<RequestRecord, "projectId" | "receivedAtMs" | "idBase" | "repeatable" | "country">;

/** An event of a request, whole. Repeatable: what it left out comes from the record, not from chance. */
export function toAccepted(event: Record<string, unknown>, record: Origin, index: number): AcceptedEvent {
  return {
    projectId: record.projectId,
    receivedAtMs: record.receivedAtMs,
    ...(record.country === undefined ? {} : { country: record.country }),
    undated: !event.original_timestamp && (record.repeatable === true || Boolean(event.message_id)),
    raw: withDefaults(event, record, index),
  };
}

/**
 * Times default to the time of receipt, so an event without `sent_at` keeps its own time. One with nothing but `sent_at` is as
 * old as its way here: the distance to a clock that may be wrong would otherwise count as its age.
 */
function withDefaults(event: Record<string, unknown>, record: Origin, index: number): Record<string, unknown> {
  if (event.message_id && event.original_timestamp && event.sent_at) return event;
  const receivedAt = new Date(record.receivedAtMs).toISOString();
  const whole = {
    ...event,
    message_id: event.message_id || generatedId(record, index),
    sent_at: event.sent_at ?? receivedAt,
    original_timestamp: event.original_timestamp ?? event.sent_at ?? receivedAt,
  };
  keepNumbersOf(event, whole);
  return whole;
}

function generatedId({ idBase }: Origin, index: number): string {
  return `${idBase}-${index}`;
}

type Sink = ReturnType<typeof createSink>;
type Counted = LedgerEntry & { events: number };

function createSink(buffers: BufferPool) {
  const events = createEventWriter(buffers);
  const parked: string[] = [];
  const ledger = new Map<string, Counted>();
  let last: Counted | undefined;
  let lastDay = -1;
  const partitions = createPartitionSet();
  let first = Number.POSITIVE_INFINITY;

  function count(
    record: { projectId: string; receivedAtMs: number },
    outcome: LedgerEntry["outcome"],
    reason: string,
    events: number,
    timestamp = record.receivedAtMs,
  ): void {
    const minute = Math.floor(record.receivedAtMs / 60_000) * 60;
    const dayNumber = Math.floor(timestamp / DAY_MS);
    if (lastDay !== dayNumber || !isEntryOf(last, record.projectId, minute, outcome, reason)) {
      const key = `${record.projectId}\n${minute}\n${outcome}\n${reason}\n${dayNumber}`;
      const fresh = { project_id: record.projectId, minute, outcome, reason, day: dayOf(timestamp), events: 0 };
      last = ledger.get(key) ?? fresh;
      lastDay = dayNumber;
      ledger.set(key, last);
    }
    last.events += events;
  }

  return {
    count,
    saw(receivedAtMs: number): void {
      first = Math.min(first, receivedAtMs);
    },
    write(record: RequestRecord, row: EventRow): void {
      events.add(row);
      partitions.add(row);
      count(record, "stored", "", 1, row.timestamp);
    },
    park(row: ParkedRow): void {
      parked.push(JSON.stringify(row));
      count({ projectId: row.project_id, receivedAtMs: row.received_at }, "parked", row.reason, 1);
    },
    finish(): Batch {
      const { bytes, starts } = events.finish();
      return {
        events: bytes,
        starts,
        eventCount: starts.length,
        parked: toLines(parked),
        ledger: [...ledger.values()],
        partitions: partitions.list(),
        firstReceivedAtMs: first,
      };
    },
  };
}

/** Nearly every event counts where the one before did. */
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

/** Nearly every event is of the partition of the one before: then this is a comparison of three values. */
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

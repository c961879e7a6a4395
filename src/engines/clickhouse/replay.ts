/**
 * Replays parked events: stores them as events, moves them in the ledger from parked to written, and removes them from
 * the parked events. Each step may run twice: rows collapse by their keys, and a row with `replayed` supersedes the one
 * without.
 */
import { dayOf } from "../../lib/time.ts";
import type { ReplayedEvent, ReplayOutcome } from "../port.ts";
import { encodeExportedRows } from "../row-binary.ts";
import { isDataFault } from "./errors.ts";
import { type EventsTarget, insertEvents, partitionsOf, toEventRows } from "./insert-events.ts";
import { insertLedger } from "./insert-ledger.ts";
import { insertLines } from "./insert-parked.ts";
import { LATE } from "./mark-dirty.ts";

export async function replay(target: EventsTarget, events: readonly ReplayedEvent[]): Promise<ReplayOutcome> {
  const stored = await storeSome(target, events);
  await insertLedger(target.clickhouse, stored.flatMap(movesOf));
  const replayed = stored.map(({ parked }) => ({ ...parked, replayed: 1 }));
  await insertLines(target.clickhouse, "parked_rows", replayed);
  return { left: stored.map(({ parked }) => parked.id) };
}

/**
 * Resolves with the events that ClickHouse accepted. Halving isolates a refused event, so that it does not block the
 * others.
 */
async function storeSome(target: EventsTarget, events: readonly ReplayedEvent[]): Promise<readonly ReplayedEvent[]> {
  if (events.length === 0) return [];
  try {
    const exported = events.map(({ row }) => row);
    const { bytes, starts } = encodeExportedRows(exported);
    const rows = toEventRows(bytes, starts);
    await insertEvents(target, { rows, partitions: partitionsOf(exported), receivedMs: LATE });
    return events;
  } catch (cause) {
    if (!isDataFault(cause)) throw cause;
    if (events.length === 1) return [];
    const middle = Math.ceil(events.length / 2);
    return [...(await storeSome(target, events.slice(0, middle))), ...(await storeSome(target, events.slice(middle)))];
  }
}

function movesOf({ parked, row }: ReplayedEvent) {
  const minute = Math.floor(parked.received_at / 60_000) * 60;
  const common = { project_id: parked.project_id, minute, batch: `replay:${parked.id}` };
  return [
    { ...common, outcome: "parked", reason: parked.reason, day: dayOf(parked.received_at), events: -1 },
    { ...common, outcome: "stored", reason: "", day: dayOf(Number(row.timestamp)), events: 1 },
  ] as const;
}

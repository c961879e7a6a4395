/**
 * Replays parked events: stores them as events, moves them in the ledger from parked to written, and removes them from
 * the parked events. Each step may run twice: rows collapse by their keys, and a row with `replayed` supersedes the one
 * without.
 */
import { dayOf } from "../../lib/time.ts";
import { findRefused } from "../halving.ts";
import { encodeExportedRows } from "../row-binary.ts";
import type { ReplayedEvent, ReplayOutcome } from "../source-tables.ts";
import { refusalOf } from "./errors.ts";
import { insertLedger } from "./insert-ledger.ts";
import { insertLines } from "./insert-parked.ts";
import { LATE } from "./mark-dirty.ts";
import { type EventsTarget, partitionsOf, storeEvents, toEventRows } from "./store-events.ts";

export async function replay(target: EventsTarget, events: readonly ReplayedEvent[]): Promise<ReplayOutcome> {
  const refused = await findRefused(events.length, ({ from, to }) =>
    storeSome(target, events.slice(from, to)).catch(refusalOf),
  );
  const stored = events.filter((_, at) => !refused.some(({ nth }) => nth === at));
  await insertLedger(target.clickhouse, stored.flatMap(movesOf));
  const replayed = stored.map(({ parked }) => ({ ...parked, replayed: 1 }));
  await insertLines(target.clickhouse, "parked_rows", replayed);
  return { left: stored.map(({ parked }) => parked.id) };
}

async function storeSome(target: EventsTarget, events: readonly ReplayedEvent[]): Promise<undefined> {
  const exported = events.map(({ row }) => row);
  const { bytes, starts } = encodeExportedRows(exported);
  const rows = toEventRows([bytes], starts);
  await storeEvents(target, { rows, partitions: partitionsOf(exported), receivedMs: LATE });
}

function movesOf({ parked, row }: ReplayedEvent) {
  const minute = Math.floor(parked.received_at / 60_000) * 60;
  const common = { project_id: parked.project_id, minute, batch: `replay:${parked.id}` };
  return [
    { ...common, outcome: "parked", reason: parked.reason, day: dayOf(parked.received_at), events: -1 },
    { ...common, outcome: "stored", reason: "", day: dayOf(Number(row.timestamp)), events: 1 },
  ] as const;
}

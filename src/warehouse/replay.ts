import type { AnalyticsEngine } from "../engines/analytics.ts";
import { createEnrich, type Enrich } from "../enrich/pipeline.ts";
import type { EventRules } from "../ingest/check-event.ts";
import { readEvent } from "../ingest/read-body.ts";
import { systemClock } from "../lib/clock.ts";
import { dayOf } from "../lib/time.ts";
import { createDayBook, type EventDay, LATE } from "./day-book.ts";
import { isDataFault } from "./insert-batch.ts";
import { type ParkedEvent, type ParkedFilter, readParked } from "./parked.ts";
import { type StoredRow, toStoredRow } from "./stored-row.ts";
import { toAccepted } from "./transform.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "insert">;

interface Replayed {
  parked: ParkedEvent;
  row: string;
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
  filter: ParkedFilter & { rules?: EventRules | undefined },
  onProgress: (result: ReplayResult) => void = () => undefined,
): Promise<ReplayResult> {
  const enrich = createEnrich();
  const result = { stored: 0, stillInvalid: 0 };
  for await (const waiting of readParked(engine, projects, filter)) {
    const good = waiting.flatMap((parked) => {
      const row = findRow(enrich, parked, filter.rules);
      return row === undefined ? [] : [{ parked, row }];
    });
    const stored = await storeRows(engine, good);
    await moveStored(engine, stored);
    result.stored += stored.length;
    result.stillInvalid += waiting.length - stored.length;
    onProgress(result);
  }
  return result;
}

/** The row an event becomes now, or undefined while it still is not one. */
function findRow(enrich: Enrich, parked: ParkedEvent, other: EventRules | undefined): string | undefined {
  if (parked.rules === "row") return parked.raw;
  const rules = other ?? (parked.rules as EventRules);
  const { event, invalid } = readEvent(parked.raw, rules);
  if (event === undefined || invalid !== undefined) return undefined;
  const origin = {
    projectId: parked.project_id,
    receivedAtMs: parked.received_at,
    idBase: parked.id,
    ...(parked.country === "" ? {} : { country: parked.country }),
  };
  // An event that a client sent twice is parked twice, each time under the one id that both make.
  const named = event.message_id || parked.message_id === "" ? event : { ...event, message_id: parked.message_id };
  const outcome = enrich(toAccepted(named, origin, 0));
  return outcome.kind === "keep" ? JSON.stringify(toStoredRow(outcome.row)) : undefined;
}

function dayOfRow(row: StoredRow): EventDay {
  return { project_id: String(row.project_id), day: dayOf(Number(row.timestamp)), key_day: String(row.day) };
}

/** Gives those the engine took. One it refuses is found by halving, and holds up none of the others. */
async function storeRows(engine: Engine, good: readonly Replayed[]): Promise<readonly Replayed[]> {
  if (good.length === 0) return [];
  try {
    const days = good.map(({ row }) => dayOfRow(JSON.parse(row) as StoredRow));
    await createDayBook(engine, systemClock).open(days, LATE);
    const settings = { max_partitions_per_insert_block: 0 };
    await engine.insert({ table: "events", body: toBody(good.map(({ row }) => row)), settings });
    return good;
  } catch (cause) {
    if (!isDataFault(cause)) throw cause;
    if (good.length === 1) return [];
    const middle = Math.ceil(good.length / 2);
    return [...(await storeRows(engine, good.slice(0, middle))), ...(await storeRows(engine, good.slice(middle)))];
  }
}

/** Either may run twice, as the insert of the events may: ledger rows collapse by their keys, and `replayed` wins over its absence. */
async function moveStored(engine: Engine, stored: readonly Replayed[]): Promise<void> {
  if (stored.length === 0) return;
  const moves = stored.flatMap(({ parked, row }) => {
    const common = {
      project_id: parked.project_id,
      minute: Math.floor(parked.received_at / 60_000) * 60,
      batch: `replay:${parked.id}`,
    };
    return [
      { ...common, outcome: "parked", reason: parked.reason, day: dayOf(parked.received_at), events: -1 },
      { ...common, outcome: "written", reason: "", day: dayOfRow(JSON.parse(row) as StoredRow).day, events: 1 },
    ];
  });
  await engine.insert({ table: "ledger", body: toBody(moves.map((move) => JSON.stringify(move))) });
  const done = stored.map(({ parked: { at: _at, ...row } }) => JSON.stringify({ ...row, replayed: 1 }));
  await engine.insert({ table: "parked_events", body: toBody(done) });
}

function toBody(rows: readonly string[]): Buffer {
  return Buffer.from(rows.join("\n"));
}

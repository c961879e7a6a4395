/**
 * Replays parked events in one transaction: removes them from the parked events, stores them as events, and moves them
 * in the ledger from parked to stored, or to duplicate if the message is stored already. An event that another replay
 * has removed meanwhile is skipped.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { dayOf } from "../../lib/time.ts";
import type { LedgerEntry } from "../batch.ts";
import { encodeExportedBlock, openBlock } from "../event-block.ts";
import { EngineRefused } from "../failures.ts";
import { findRefused } from "../halving.ts";
import type { ReplayedEvent, ReplayOutcome } from "../source-tables.ts";
import type { Database } from "./database.ts";
import { removeParked } from "./insert-parked.ts";
import type { KnownKeys } from "./known-keys.ts";
import { insertLedger, withDuplicates } from "./store-batch.ts";
import { storeEvents } from "./store-events.ts";

export async function replay(
  database: Database,
  events: readonly ReplayedEvent[],
  nowMs: number,
): Promise<ReplayOutcome> {
  const left: string[] = [];
  await findRefused(events.length, async ({ from, to }) => {
    try {
      left.push(
        ...(await database.write((connection) =>
          moveParked(connection, database.knownKeys, events.slice(from, to), nowMs),
        )),
      );
      return undefined;
    } catch (cause) {
      if (cause instanceof EngineRefused) return cause;
      throw cause;
    }
  });
  return { left };
}

async function moveParked(
  connection: DuckDBConnection,
  known: KnownKeys,
  events: readonly ReplayedEvent[],
  nowMs: number,
): Promise<string[]> {
  const left = await removeParked(
    connection,
    events.map(({ parked }) => parked),
  );
  const leaving = events.filter(({ parked }) => left.has(parked.id));
  const block = openBlock(encodeExportedBlock(leaving.map(({ row }) => row)));
  const { duplicates } = await storeEvents(connection, known, [block], nowMs);
  await insertLedger(connection, withDuplicates(countMoves(leaving), duplicates));
  return [...left];
}

function countMoves(leaving: readonly ReplayedEvent[]): LedgerEntry[] {
  const found = new Map<string, { -readonly [Key in keyof LedgerEntry]: LedgerEntry[Key] }>();
  const count = (entry: LedgerEntry) => {
    const key = [entry.project_id, entry.minute, entry.outcome, entry.reason, entry.day].join("\n");
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...entry });
    else known.events += entry.events;
  };
  for (const { parked, row } of leaving) {
    const common = { project_id: parked.project_id, minute: Math.floor(parked.received_at / 60_000) * 60 };
    count({ ...common, outcome: "parked", reason: parked.reason, day: dayOf(parked.received_at), events: -1 });
    count({ ...common, outcome: "stored", reason: "", day: dayOf(Number(row.timestamp)), events: 1 });
  }
  return [...found.values()];
}

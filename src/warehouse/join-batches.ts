import type { EventPartition, LedgerEntry } from "../engines/batch.ts";
import type { Batch } from "./transform.ts";

/** One batch of the rows of several. What is counted by minute or day is counted once, as if they had been one. */
export function joinBatches(batches: readonly Batch[]): Batch {
  const [first] = batches;
  if (first === undefined) throw new Error("there is no batch to join");
  if (batches.length === 1) return first;
  return {
    form: first.form,
    events: batches.flatMap(({ events }) => events),
    starts: joinStarts(batches),
    eventCount: batches.reduce((sum, { eventCount }) => sum + eventCount, 0),
    parked: joinLines(batches.map(({ parked }) => parked)),
    ledger: joinLedgers(batches.map(({ ledger }) => ledger)),
    partitions: joinPartitions(batches.map(({ partitions }) => partitions)),
    firstReceivedAtMs: Math.min(...batches.map(({ firstReceivedAtMs }) => firstReceivedAtMs)),
  };
}

function joinStarts(batches: readonly Batch[]): Uint32Array {
  const joined = new Uint32Array(batches.reduce((sum, { starts }) => sum + starts.length, 0));
  let at = 0;
  let before = 0;
  for (const { events, starts } of batches) {
    for (const start of starts) {
      joined[at] = before + start;
      at += 1;
    }
    before += events.reduce((sum, { length }) => sum + length, 0);
  }
  return joined;
}

function joinLines(lines: readonly Uint8Array[]): Uint8Array {
  const some = lines.filter(({ length }) => length > 0);
  return Buffer.concat(some.flatMap((each, nth) => (nth === 0 ? [each] : [Buffer.from("\n"), each])));
}

function joinLedgers(ledgers: readonly (readonly LedgerEntry[])[]): LedgerEntry[] {
  const joined = new Map<string, LedgerEntry>();
  for (const entry of ledgers.flat()) {
    const { project_id, minute, outcome, reason, day } = entry;
    const key = JSON.stringify([project_id, minute, outcome, reason, day]);
    const known = joined.get(key);
    joined.set(key, known === undefined ? entry : { ...known, events: known.events + entry.events });
  }
  return [...joined.values()];
}

function joinPartitions(partitions: readonly (readonly EventPartition[])[]): EventPartition[] {
  const joined = new Map<string, EventPartition>();
  for (const partition of partitions.flat()) joined.set(JSON.stringify(Object.values(partition)), partition);
  return [...joined.values()];
}

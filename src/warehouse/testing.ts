import type { Batch } from "./transform.ts";

/** A transformed batch of so many events, of which a test reads nothing else. */
export function emptyBatch(form: Batch["form"], eventCount: number): Batch {
  const nothing = Buffer.alloc(0);
  const rows = { events: [], starts: new Uint32Array(), parked: nothing, ledger: [], partitions: [] };
  return { form, eventCount, ...rows, firstReceivedAtMs: 0 };
}

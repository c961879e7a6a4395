/**
 * Registers the partitions of a batch in `dirty_partitions` before its events are stored. Reports then read these
 * partitions from events until they are materialized again. Today's partition is always dirty and is registered once,
 * so that 100,000 batches a day cost a handful of inserts. A batch that waited in the log also marks today dirty: its
 * events may be earlier copies of stored messages, and then count on another day. ClickHouse sets the time of a mark.
 *
 * This node's clock decides which day is today. Asking the table, as DuckDB does, would cost a catalogue read for every
 * batch. The clock is safe while it is less than `dayIsOverMs` (15 minutes) behind: no day is materialized earlier, and
 * the clocks of a cluster are assumed to differ by at most a minute (materialize/margins.ts). If the clock is set back
 * while the service runs, days before the latest day seen are marked with every batch.
 */
import { dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import type { EventPartition } from "../batch.ts";
import type { Clickhouse } from "./database.ts";

export interface Marks {
  /** `receivedMs`: when the oldest event was received. The caller must insert the events at once. */
  mark(partitions: readonly EventPartition[], receivedMs: number, signal?: AbortSignal): Promise<void>;
}

/** `receivedMs` of events whose time of receipt is unknown: they count as late. */
export const LATE = 0;
/** A slower mark is repeated: an insert must land within the settling time of its mark. */
const MARKED_WITHIN_MS = 10_000;

export function createMarks(clickhouse: Pick<Clickhouse, "insert">, nowMs: () => number): Marks {
  const registered = new Set<string>();
  let today = "";

  async function insertMarks(
    partitions: readonly EventPartition[],
    receivedMs: number,
    signal: AbortSignal | undefined,
  ) {
    const day = dayOf(nowMs());
    if (day > today) {
      registered.clear();
      today = day;
    }
    const isLate = nowMs() - receivedMs > MARGINS.freshMs;
    const isDirtyAnyway = ({ day }: EventPartition) => day >= today && !isLate;
    const unmarked = partitions.filter((one) => !(isDirtyAnyway(one) && registered.has(keyOf(one))));
    if (unmarked.length === 0) return;
    const rows = unmarked.map((one) => JSON.stringify({ ...one, ...(isDirtyAnyway(one) ? { dirty_at: 0 } : {}) }));
    await clickhouse.insert(
      { table: "dirty_partitions", body: Buffer.from(rows.join("\n")), format: "JSONEachRow" },
      signal,
    );
    for (const one of unmarked) if (isDirtyAnyway(one)) registered.add(keyOf(one));
  }

  return {
    async mark(partitions, receivedMs, signal) {
      for (let tookMs = Number.POSITIVE_INFINITY; partitions.length > 0 && tookMs > MARKED_WITHIN_MS; ) {
        const startedAt = performance.now();
        await insertMarks(partitions, receivedMs, signal);
        tookMs = performance.now() - startedAt;
      }
    },
  };
}

function keyOf({ project_id, day, dedupe_day }: EventPartition): string {
  return `${project_id}\n${day}\n${dedupe_day}`;
}

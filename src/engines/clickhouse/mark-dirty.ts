/**
 * Names the partitions of events in `dirty_partitions` before the events are stored: reports then read them from their
 * events until they are materialized again. Today is dirty anyway and named once: 100,000 batches a day cost a handful of
 * inserts. Of a batch that waited in the log, today is marked, too: its events may be earlier copies of messages that are
 * stored already, and then count on another day. The mark has ClickHouse's time.
 *
 * Which day is today is said by this node's clock. Asking the table, as DuckDB does, would be a read of the catalogue for
 * every batch. The clock is safe while it is less than `dayIsOverMs` (15 minutes) behind: before that no day is
 * materialized, and clocks of a cluster are assumed to differ by a minute (materialize/margins.ts). A clock that is set
 * back while the service runs is not followed: what lies before the last day seen is marked with every batch.
 */
import { dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import type { EventPartition } from "../port.ts";
import type { Clickhouse } from "./http.ts";

export interface Marks {
  /** `receivedMs`: when the oldest of the events was received. Their insert has to begin at once. */
  mark(partitions: readonly EventPartition[], receivedMs: number, signal?: AbortSignal): Promise<void>;
}

/** For what was received at an unknown time. */
export const LATE = 0;
/** What took longer has to be marked again: an insert lands within the settling time of its mark. */
const MARKED_WITHIN_MS = 10_000;

export function createMarks(clickhouse: Pick<Clickhouse, "insert">, nowMs: () => number): Marks {
  const named = new Set<string>();
  let today = "";

  async function insertMarks(
    partitions: readonly EventPartition[],
    receivedMs: number,
    signal: AbortSignal | undefined,
  ) {
    const day = dayOf(nowMs());
    if (day > today) {
      named.clear();
      today = day;
    }
    const isLate = nowMs() - receivedMs > MARGINS.freshMs;
    const isDirtyAnyway = ({ day }: EventPartition) => day >= today && !isLate;
    const unmarked = partitions.filter((one) => !(isDirtyAnyway(one) && named.has(keyOf(one))));
    if (unmarked.length === 0) return;
    const rows = unmarked.map((one) => JSON.stringify({ ...one, ...(isDirtyAnyway(one) ? { dirty_at: 0 } : {}) }));
    await clickhouse.insert(
      { table: "dirty_partitions", body: Buffer.from(rows.join("\n")), format: "JSONEachRow" },
      signal,
    );
    for (const one of unmarked) if (isDirtyAnyway(one)) named.add(keyOf(one));
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

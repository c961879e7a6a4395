/** Inserts event rows into `events_rows`. Their partitions are marked dirty first. */
import { dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import type { EventPartition } from "../batch.ts";
import { EVENT_COLUMNS, EVENT_HEAD } from "../event-columns.ts";
import type { ExportedRow } from "../source-tables.ts";
import type { Clickhouse } from "./database.ts";
import { LATE, type Marks } from "./mark-dirty.ts";
import { INSERT_SETTINGS } from "./settings.ts";

export interface EventsTarget {
  readonly clickhouse: Pick<Clickhouse, "insert">;
  readonly marks: Marks;
}

export interface EventBatch {
  /** As returned by `toEventRows`. */
  readonly rows: Uint8Array;
  readonly partitions: readonly EventPartition[];
  /** When the oldest event was received. */
  readonly receivedMs: number;
  readonly dedupeToken?: string;
}

const COLUMNS = EVENT_COLUMNS.map(([name]) => (name === "received_at" ? "first" : name));
const TWO_32 = 4_294_967_296;

/** Copies the rows and replaces the time of receipt by `first` (see the schema). */
export function toEventRows(bytes: readonly Uint8Array[], starts: Uint32Array): Buffer {
  const rows = Buffer.concat(bytes);
  for (const start of starts) {
    const at = start + EVENT_HEAD.received_at;
    const first = Number.MAX_SAFE_INTEGER - (rows.readUInt32LE(at) + rows.readInt32LE(at + 4) * TWO_32);
    const high = Math.floor(first / TWO_32);
    rows.writeUInt32LE(first - high * TWO_32, at);
    rows.writeUInt32LE(high, at + 4);
  }
  return rows;
}

export async function storeEvents(
  { clickhouse, marks }: EventsTarget,
  { rows, partitions, receivedMs, dedupeToken }: EventBatch,
  signal?: AbortSignal,
): Promise<void> {
  await marks.mark(partitions, receivedMs, signal);
  const markedAt = performance.now();
  await clickhouse.insert(
    {
      table: "events_rows",
      columns: COLUMNS,
      body: rows,
      format: "RowBinary",
      settings: INSERT_SETTINGS,
      ...(dedupeToken === undefined ? {} : { dedupeToken }),
    },
    signal,
  );
  // The process was suspended: the partition may have been materialized without these events.
  if (performance.now() - markedAt > MARGINS.settleMs) await marks.mark(partitions, LATE, signal);
}

/** The partitions of rows that are keyed by column name. */
export function partitionsOf(rows: readonly ExportedRow[]): EventPartition[] {
  const found = new Map<string, EventPartition>();
  for (const row of rows) {
    const one = {
      project_id: String(row.project_id),
      day: dayOf(Number(row.timestamp)),
      dedupe_day: String(row.dedupe_day),
    };
    found.set(`${one.project_id}\n${one.day}\n${one.dedupe_day}`, one);
  }
  return [...found.values()];
}

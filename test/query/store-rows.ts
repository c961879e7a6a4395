import { encodeExportedBlock } from "../../src/engines/event-block.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { encodeExportedRows } from "../../src/engines/row-binary.ts";
import type { ExportedRow } from "../../src/engines/source-tables.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import type { OracleEvent } from "./oracle.ts";

const dayOf = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString().slice(0, 10);

/** Stores event rows through the writer's own path, each call as a batch. */
export async function createEventStore(engine: AnalyticsEngine, nodeId: string) {
  const store = await engine.openBatchStore({ nodeId, cursorFile: "" });
  let { done: from } = await store.position();
  return async (rows: readonly ExportedRow[]): Promise<void> => {
    if (rows.length === 0) return;
    const { bytes, starts } =
      store.form === "rows"
        ? encodeExportedRows(rows)
        : { bytes: encodeExportedBlock(rows), starts: new Uint32Array() };
    const to = { segment: 1, offset: from.offset + bytes.length };
    const batch = {
      form: store.form,
      events: [bytes],
      starts,
      eventCount: rows.length,
      parked: Buffer.alloc(0),
      ledger: [],
      partitions: rows.map((row) => ({
        project_id: String(row.project_id),
        day: dayOf(Number(row.timestamp)),
        dedupe_day: String(row.dedupe_day),
      })),
      firstReceivedAtMs: 0,
    };
    await store.store(batch, { from, to, token: `${nodeId} ${from.offset}` }, new AbortController().signal);
    from = to;
  };
}

/** A generated event as a backup has it. */
export function toRow({ day, tie: _tie, properties = {}, context = {}, ...event }: OracleEvent): ExportedRow {
  const none = { original_after_ms: 0, sent_after_ms: 0, channel: "web", version: "0", address_spelt: "" };
  const bodies = { context: JSON.stringify(context), properties: JSON.stringify(properties), extra: "{}" };
  return { ...none, ...event, ...bodies, dedupe_day: day };
}

/** Inserts parked events. Their texts are stored in pieces: see the schema. */
import { headOf, type ParkedRow, piecesOf } from "../parked-row.ts";
import type { Clickhouse } from "./database.ts";

export async function insertParked(
  clickhouse: Pick<Clickhouse, "insert">,
  rows: readonly ParkedRow[],
  signal?: AbortSignal,
): Promise<void> {
  if (rows.length === 0) return;
  const pieces = rows.flatMap(({ project_id, received_at, id, raw }) =>
    piecesOf(raw).map((text, nth) => ({ project_id, received_at, id, nth, text })),
  );
  const heads = rows.map(({ raw, ...row }) => ({ ...row, head: headOf(raw), raw_bytes: Buffer.byteLength(raw) }));
  // Pieces first: every listed event can then be read.
  await insertLines(clickhouse, "parked_pieces", pieces, signal);
  await insertLines(clickhouse, "parked_rows", heads, signal);
}

export async function insertLines(
  clickhouse: Pick<Clickhouse, "insert">,
  table: string,
  rows: readonly object[],
  signal?: AbortSignal,
): Promise<void> {
  if (rows.length === 0) return;
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));
  await clickhouse.insert(
    { table, body, format: "JSONEachRow", settings: { max_partitions_per_insert_block: 0 } },
    signal,
  );
}

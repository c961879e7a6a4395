/** Inserts parked events inside the caller's transaction. Their texts are stored in pieces: see the schema. */
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBTimestampMillisecondsValue,
  listValue,
  TIMESTAMP_MS,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import { headOf, type ParkedRow, piecesOf } from "../parked-row.ts";
import { appendValues } from "./append-values.ts";
import { readRows } from "./rows.ts";

const EVENT_TYPES = [VARCHAR, TIMESTAMP_MS, ...Array<typeof VARCHAR>(7).fill(VARCHAR), BIGINT];
const PIECE_TYPES = [VARCHAR, TIMESTAMP_MS, VARCHAR, UINTEGER, VARCHAR];

/** Replaces an existing row: a log restored from a backup parks events that the backup may contain. */
export async function insertParked(connection: DuckDBConnection, rows: readonly ParkedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await removeParked(connection, rows);
  const events = rows.map((row) => [
    row.project_id,
    new DuckDBTimestampMillisecondsValue(BigInt(row.received_at)),
    ...[row.id, row.reason, row.details, row.rules, row.country, row.message_id, headOf(row.raw)],
    BigInt(Buffer.byteLength(row.raw)),
  ]);
  await appendValues(connection, { table: "parked_events" }, EVENT_TYPES, events);
  const pieces = rows.flatMap(({ project_id, received_at, id, raw }) => {
    const at = new DuckDBTimestampMillisecondsValue(BigInt(received_at));
    return piecesOf(raw).map((text, nth) => [project_id, at, id, nth, text]);
  });
  await appendValues(connection, { table: "parked_raw" }, PIECE_TYPES, pieces);
}

/** Resolves with the ids of the removed events. */
export async function removeParked(
  connection: DuckDBConnection,
  rows: readonly Pick<ParkedRow, "project_id" | "received_at" | "id">[],
): Promise<Set<string>> {
  // No spread: a batch has more rows than a call may have arguments.
  const [from_ms, to_ms] = rows.reduce(
    ([least, most], row) => [Math.min(least, row.received_at), Math.max(most, row.received_at)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const values = {
    projects: listValue([...new Set(rows.map((row) => row.project_id))]),
    ids: listValue(rows.map((row) => row.id)),
    from_ms,
    to_ms,
  };
  const where = `WHERE project_id IN CAST($projects AS VARCHAR[]) AND id IN CAST($ids AS VARCHAR[])
    AND received_at BETWEEN make_timestamp_ms(CAST($from_ms AS BIGINT)) AND make_timestamp_ms(CAST($to_ms AS BIGINT))`;
  const removed = await connection.runAndReadAll(`DELETE FROM parked_events ${where} RETURNING id`, values);
  if (removed.currentRowCount > 0) await connection.run(`DELETE FROM parked_raw ${where}`, values);
  return new Set((readRows(removed) as { id: string }[]).map(({ id }) => id));
}

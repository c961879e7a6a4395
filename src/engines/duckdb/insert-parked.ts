/** Parked events, inside the caller's transaction. Their texts are cut into pieces: see the schema. */
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBTimestampMillisecondsValue,
  TIMESTAMP_MS,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import { headOf, type ParkedRow, piecesOf } from "../parked-row.ts";
import { appendValues } from "./append-values.ts";

const EVENT_TYPES = [VARCHAR, TIMESTAMP_MS, ...Array<typeof VARCHAR>(7).fill(VARCHAR), BIGINT];
const PIECE_TYPES = [VARCHAR, TIMESTAMP_MS, VARCHAR, UINTEGER, VARCHAR];

export async function insertParked(connection: DuckDBConnection, rows: readonly ParkedRow[]): Promise<void> {
  const events = rows.map((row) => [
    row.project_id,
    new DuckDBTimestampMillisecondsValue(BigInt(row.received_at)),
    ...[row.id, row.reason, row.details, row.rules, row.country, row.message_id, headOf(row.raw)],
    BigInt(Buffer.byteLength(row.raw)),
  ]);
  await appendValues(connection, "parked_events", EVENT_TYPES, events);
  const pieces = rows.flatMap(({ project_id, received_at, id, raw }) => {
    const at = new DuckDBTimestampMillisecondsValue(BigInt(received_at));
    return piecesOf(raw).map((text, nth) => [project_id, at, id, nth, text]);
  });
  await appendValues(connection, "parked_raw", PIECE_TYPES, pieces);
}

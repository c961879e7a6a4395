/** Parked events, inside the caller's transaction. Their texts are cut into pieces: see the schema. */
import {
  BIGINT,
  type DuckDBConnection,
  DuckDBTimestampMillisecondsValue,
  TIMESTAMP_MS,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import { appendValues } from "./append-values.ts";

export interface ParkedRow {
  readonly project_id: string;
  readonly received_at: number;
  readonly id: string;
  readonly reason: string;
  readonly details: string;
  readonly rules: string;
  readonly country: string;
  readonly message_id: string;
  readonly raw: string;
}

const PIECE_CHARS = 16_384;
const HEAD_CHARS = 200;

const EVENT_TYPES = [VARCHAR, TIMESTAMP_MS, ...Array<typeof VARCHAR>(7).fill(VARCHAR), BIGINT];
const PIECE_TYPES = [VARCHAR, TIMESTAMP_MS, VARCHAR, UINTEGER, VARCHAR];

export async function insertParked(connection: DuckDBConnection, rows: readonly ParkedRow[]): Promise<void> {
  const events = rows.map((row) => [
    row.project_id,
    new DuckDBTimestampMillisecondsValue(BigInt(row.received_at)),
    ...[row.id, row.reason, row.details, row.rules, row.country, row.message_id, cut(row.raw, 0, HEAD_CHARS)],
    BigInt(Buffer.byteLength(row.raw)),
  ]);
  await appendValues(connection, "parked_events", EVENT_TYPES, events);
  const pieces = rows.flatMap(({ project_id, received_at, id, raw }) => {
    const at = new DuckDBTimestampMillisecondsValue(BigInt(received_at));
    return piecesOf(raw).map((text, nth) => [project_id, at, id, nth, text]);
  });
  await appendValues(connection, "parked_raw", PIECE_TYPES, pieces);
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? 0) pieces.push(cut(text, from, PIECE_CHARS));
  return pieces;
}

/** No more than so many characters, and never half of one that has two. */
function cut(text: string, from: number, chars: number): string {
  const end = from + chars;
  const splits = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return text.slice(from, splits ? end - 1 : end);
}

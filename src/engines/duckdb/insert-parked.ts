/** Parked events, inside the caller's transaction. Their texts are cut into pieces: see the schema. */
import type { DuckDBConnection } from "@duckdb/node-api";

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

const INSERT_EVENT = `INSERT INTO parked_events
VALUES ($project_id, make_timestamp_ms(CAST($received_at AS BIGINT)), $id, $reason, $details, $rules, $country, $message_id, $head, CAST($raw_bytes AS BIGINT))`;
const INSERT_PIECE = `INSERT INTO parked_raw
VALUES ($project_id, make_timestamp_ms(CAST($received_at AS BIGINT)), $id, CAST($nth AS UINTEGER), $text)`;

export async function insertParked(connection: DuckDBConnection, rows: readonly ParkedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const events = await connection.prepare(INSERT_EVENT);
  const pieces = await connection.prepare(INSERT_PIECE);
  for (const { raw, ...row } of rows) {
    events.bind({ ...row, head: cut(raw, 0, HEAD_CHARS), raw_bytes: Buffer.byteLength(raw) });
    await events.run();
    const { project_id, received_at, id } = row;
    for (const [nth, text] of piecesOf(raw).entries()) {
      pieces.bind({ project_id, received_at, id, nth, text });
      await pieces.run();
    }
  }
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

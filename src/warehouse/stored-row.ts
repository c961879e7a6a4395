import type { EventRow } from "../enrich/row.ts";

type Kind = "text" | "millis" | "day" | "float" | "byte";
type Column = readonly [name: string, kind: Kind, read: (row: EventRow) => string | number];

/** The engine keeps the row with the highest `first` of a message: the one that was received first. */
export const LAST_MS = Number.MAX_SAFE_INTEGER;

/**
 * What the events table keeps of an event, in the order of the insert. Two of the four times are kept as their distance from
 * another one: a thousandth of a second is 3.5 bytes on disk, a distance 1.1 to 1.5.
 */
export const STORED_COLUMNS: readonly Column[] = [
  ["project_id", "text", (row) => row.project_id],
  ["day", "day", (row) => row.day],
  ["message_id", "text", (row) => row.message_id],
  ["timestamp", "millis", (row) => row.timestamp],
  ["first", "millis", (row) => LAST_MS - row.received_at],
  ["original_after_ms", "millis", (row) => row.original_timestamp - row.timestamp],
  ["sent_after_ms", "millis", (row) => row.sent_at - row.original_timestamp],
  ["channel", "text", (row) => row.channel],
  ["type", "text", (row) => row.type],
  ["event", "text", (row) => row.event],
  ["version", "text", (row) => row.version],
  ["anonymous_id", "text", (row) => row.anonymous_id],
  ["user_id", "text", (row) => row.user_id],
  ["address", "text", (row) => row.address],
  ["address_spelt", "text", (row) => (row.address_raw === row.address ? "" : row.address_raw)],
  ["session_id", "text", (row) => row.session_id],
  ["origin", "text", (row) => row.origin],
  ["pathname", "text", (row) => row.pathname],
  ["referrer", "text", (row) => row.referrer],
  ["referrer_url", "text", (row) => row.referrer_url],
  ["ref", "text", (row) => row.ref],
  ["utm_source", "text", (row) => row.utm_source],
  ["utm_medium", "text", (row) => row.utm_medium],
  ["utm_campaign", "text", (row) => row.utm_campaign],
  ["utm_term", "text", (row) => row.utm_term],
  ["utm_content", "text", (row) => row.utm_content],
  ["device", "text", (row) => row.device],
  ["browser", "text", (row) => row.browser],
  ["os", "text", (row) => row.os],
  ["location", "text", (row) => row.location],
  ["rdns", "text", (row) => row.rdns],
  ["provider_name", "text", (row) => row.provider_name],
  ["chain_id", "text", (row) => row.chain_id],
  ["builder_codes", "text", (row) => row.builder_codes],
  ["volume", "float", (row) => row.volume],
  ["revenue", "float", (row) => row.revenue],
  ["points", "float", (row) => row.points],
  ["acquisition", "text", (row) => row.acquisition],
  ["has_touch", "byte", (row) => row.has_touch],
  ["context", "text", (row) => row.context],
  ["properties", "text", (row) => row.properties],
  ["extra", "text", (row) => row.extra],
];

/** A stored row by the names of its columns, as a line of `JSONEachRow` has it. */
export type StoredRow = Record<string, string | number>;

export function toStoredRow(row: EventRow): StoredRow {
  return Object.fromEntries(STORED_COLUMNS.map(([name, , read]) => [name, read(row)]));
}

export function receivedAtOf(row: StoredRow): number {
  return LAST_MS - Number(row.first);
}

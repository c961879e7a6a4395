/** What the events table keeps of an event, in the order of the wire format (row-binary.ts) and of DuckDB's table, which has `day` besides. */

/** `millis` are whole numbers of 64 bits, `day` is days since 1970, `hash` is made of the row's own texts (event-hashes.ts). */
export type ColumnKind = "text" | "millis" | "day" | "float" | "byte" | "hash";

/**
 * Those with a fixed width that the way in looks at come first, so that it finds them without reading the rest (EVENT_HEAD).
 * Two of the four times are kept as their distance from another one: in ClickHouse a thousandth of a second is 3.5 bytes on disk, a
 * distance 1.1 to 1.5.
 */
export const EVENT_COLUMNS = [
  ["dedupe_day", "day"],
  ["timestamp", "millis"],
  ["received_at", "millis"],
  ["visitor", "hash"],
  ["session", "hash"],
  ["dedupe_key", "hash"],
  ["project_id", "text"],
  ["message_id", "text"],
  ["original_after_ms", "millis"],
  ["sent_after_ms", "millis"],
  ["channel", "text"],
  ["type", "text"],
  ["event", "text"],
  ["version", "text"],
  ["anonymous_id", "text"],
  ["user_id", "text"],
  ["address", "text"],
  ["address_spelt", "text"],
  ["session_id", "text"],
  ["origin", "text"],
  ["pathname", "text"],
  ["referrer", "text"],
  ["referrer_url", "text"],
  ["ref", "text"],
  ["utm_source", "text"],
  ["utm_medium", "text"],
  ["utm_campaign", "text"],
  ["utm_term", "text"],
  ["utm_content", "text"],
  ["device", "text"],
  ["browser", "text"],
  ["os", "text"],
  ["location", "text"],
  ["rdns", "text"],
  ["provider_name", "text"],
  ["chain_id", "text"],
  ["builder_codes", "text"],
  ["volume", "float"],
  ["revenue", "float"],
  ["points", "float"],
  ["acquisition", "text"],
  ["has_touch", "byte"],
  ["context", "text"],
  ["properties", "text"],
  ["extra", "text"],
] as const satisfies readonly (readonly [name: string, kind: ColumnKind])[];

type Column = (typeof EVENT_COLUMNS)[number];
type NamesOf<Kind extends ColumnKind> = Extract<Column, readonly [string, Kind]>[0];

/** Those that are no hashes: what an event is besides follows from them. */
export type SourceColumn = Exclude<Column[0], NamesOf<"hash">>;

/** How to read them from a row of some form. */
export type ColumnReaders<Row> = {
  readonly [Name in SourceColumn]: (row: Row) => Name extends NamesOf<"text" | "day"> ? string : number;
};

/** By the names of their columns, as a backup and a parked row have them. */
export type StoredRow = { readonly [Name in SourceColumn]: Name extends NamesOf<"text" | "day"> ? string : number };

/** Where the columns of a fixed width begin in a row; `project_id` and `message_id` come after them. */
export const EVENT_HEAD = {
  dedupe_day: 0,
  timestamp: 2,
  received_at: 10,
  visitor: 18,
  session: 26,
  dedupe_key: 34,
  project_id: 42,
} as const satisfies Partial<Record<Column[0], number>>;

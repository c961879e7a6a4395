/**
 * The description of a stored event: its columns in the order in which ClickHouse and backups get them (row-binary.ts).
 * That format, the appender of DuckDB, inserts and the relation of users' SQL are made from it. The schemas of both
 * engines, the columns of sessions and the tables of users' SQL are compared with it (test/engines/columns.test.ts), and
 * the compiler demands the value of each column (warehouse/stored-row.ts).
 */

import type { TextBytes } from "../lib/text-bytes.ts";

/**
 * `time` and `millis` are 64-bit integers, `day` counts days since 1970, `hash` is computed from texts of the row
 * (event-hashes.ts).
 */
export type ColumnKind = "text" | "time" | "millis" | "day" | "float" | "byte" | "hash";

/** Columns that the engines add: `day` follows from the time, `status` from the properties. */
export const ADDED_COLUMNS = [
  ["day", "day"],
  ["status", "text"],
] as const satisfies readonly (readonly [name: string, kind: ColumnKind])[];

/**
 * Fixed-width columns that the insert path reads come first, so that it finds them without decoding the rest
 * (EVENT_HEAD). Two of the four times are stored as an offset from another one: in ClickHouse a millisecond time takes
 * 3.5 bytes on disk, an offset 1.1 to 1.5.
 */
export const EVENT_COLUMNS = [
  ["dedupe_day", "day"],
  ["timestamp", "time"],
  ["received_at", "time"],
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
  ["paid_source", "text"],
  ["click_id", "text"],
] as const satisfies readonly (readonly [name: string, kind: ColumnKind])[];

type Column = (typeof EVENT_COLUMNS)[number];
type NamesOf<Kind extends ColumnKind> = Extract<Column, readonly [string, Kind]>[0];

/** All columns except the hashes, which are derived from them. */
export type SourceColumn = Exclude<Column[0], NamesOf<"hash">>;

/** Columns whose texts may come as bytes. */
type BytesColumn = "context" | "properties";

/** One reader per column, for rows of any form. */
export type ColumnReaders<Row> = {
  readonly [Name in SourceColumn]: (
    row: Row,
  ) => Name extends BytesColumn ? string | TextBytes : Name extends NamesOf<"text" | "day"> ? string : number;
};

/** A row keyed by column name, as in backups and in parked rows. */
export type StoredRow = { readonly [Name in SourceColumn]: Name extends NamesOf<"text" | "day"> ? string : number };

/** From this column on, rows of older backups lack them: there they are empty, or 0. A new column goes to the end. */
export const ADDED_FROM = EVENT_COLUMNS.findIndex(([name]) => name === "paid_source");

/** The offsets of the fixed-width columns in a row; `project_id` and `message_id` follow them. */
export const EVENT_HEAD = {
  dedupe_day: 0,
  timestamp: 2,
  received_at: 10,
  visitor: 18,
  session: 26,
  dedupe_key: 34,
  project_id: 42,
} as const satisfies Partial<Record<Column[0], number>>;

/**
 * The true tables as text, out and in again. Everything else in the warehouse is derived from them. The engine's own BACKUP would be
 * faster, but the embedded engine has none, and text written by one deployment can be read by every other.
 */
import { readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { type AnalyticsEngine, tuple } from "../engines/analytics.ts";

interface TrueTable {
  name: string;
  /** The part of the key that pieces are cut by. */
  day: string;
  /** About the length of a row as text. */
  bytes: string;
  /** What a large day is divided by. */
  spread: string;
}

/**
 * In the order in which they are read. `parked_events` comes before `events`: one that is replayed meanwhile is in both then, and counts
 * once; the other way round it would be in neither. `event_days` comes after `events`: it names a day before the day has events, so it
 * never lacks one of those read before.
 */
const TRUE_TABLES: readonly TrueTable[] = [
  { name: "parked_events", day: "toDate(received_at)", bytes: "100 + length(raw) + length(details)", spread: "id" },
  {
    name: "events",
    day: "day",
    bytes: "400 + length(context) + length(properties) + length(extra)",
    spread: "message_id",
  },
  { name: "ledger", day: "toDate(minute)", bytes: "100", spread: "batch" },
  { name: "event_days", day: "day", bytes: "60", spread: "key_day" },
];

/** The true tables that are there: an older schema may lack some. */
export async function findTrueTables(
  engine: Pick<AnalyticsEngine, "selectJson">,
  database: string,
): Promise<readonly TrueTable[]> {
  const found = await engine.selectJson<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = {database:String}",
    { params: { database }, useDatabase: false },
  );
  return TRUE_TABLES.filter(({ name }) => found.data.some((table) => table.name === name));
}

/** A statement must end within the engine's time for a query (30 s): 64 MiB take about 1 s. */
const PIECE_BYTES = 64 * 1024 * 1024;
/** What fits into one request beside the statement. */
const PIECE_KEYS = 500;

export interface Piece {
  keys: { project: string; day: string }[];
  parts: number;
  part: number;
  rows: number;
}

const SIZES = readSql("export_sizes");
const ROWS = readSql("export_rows");

function readSql(name: string): string {
  return readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
}

function fill(sql: string, table: TrueTable): string {
  const values: Record<string, string> = { ...table, table: table.name };
  return sql.replace(/\/\*(\w+)\*\//g, (_, name: string) => values[name] ?? "");
}

/** What has to be asked to get the whole table. Rows that come later under other keys are not part of it. */
export async function planExport(engine: Pick<AnalyticsEngine, "select">, table: TrueTable): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let room = 0;
  for await (const sizes of engine.select<{ project: string; rows_day: string; n: number; bytes: number }>(
    fill(SIZES, table),
  )) {
    for (const { project, rows_day, n, bytes } of sizes) {
      const last = pieces.at(-1);
      const key = { project, day: rows_day };
      const parts = Math.ceil(bytes / PIECE_BYTES);
      if (last !== undefined && bytes <= room && last.keys.length < PIECE_KEYS) {
        last.keys.push(key);
        last.rows += n;
        room -= bytes;
      } else {
        for (let part = 0; part < parts; part += 1) pieces.push({ keys: [key], parts, part, rows: n / parts });
        room = parts > 1 ? 0 : PIECE_BYTES - bytes;
      }
    }
  }
  return pieces;
}

export async function readPiece(
  engine: Pick<AnalyticsEngine, "selectRaw">,
  table: TrueTable,
  piece: Piece,
): Promise<Readable> {
  const keys = piece.keys.map(({ project, day }) => tuple(project, day));
  const { body } = await engine.selectRaw(fill(ROWS, table), {
    format: "TabSeparatedWithNames",
    params: { keys, parts: piece.parts, part: piece.part },
    settings: { do_not_merge_across_partitions_select_final: 1 },
  });
  return body;
}

/** A file of rows may hold any months; on a cluster the answer waits until the shards have them. */
const INSERT_SETTINGS = { max_partitions_per_insert_block: 0, distributed_foreground_insert: 1 } as const;

/** Resolves with the number of rows the engine took. */
export async function importRows(
  engine: Pick<AnalyticsEngine, "insert">,
  table: string,
  body: Readable,
): Promise<number> {
  const { writtenRows } = await engine.insert({
    table,
    body,
    format: "TabSeparatedWithNames",
    settings: INSERT_SETTINGS,
  });
  return writtenRows;
}

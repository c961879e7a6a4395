/**
 * Finds the rows of a batch whose message is stored already, or is among the rows before them. Most rows have no key that
 * is known (known-keys.ts). For the others the stored keys of their days are read, and messages only if there is an equal
 * key. 64-bit keys may collide, and a client can provoke that: the message itself decides.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { appendEvents, type EventRows, NTH } from "./append.ts";
import { daysClause } from "./days-clause.ts";
import { daysOf } from "./event-heads.ts";
import type { KnownKeys } from "./known-keys.ts";
import { readRows } from "./rows.ts";

const KEYS = { table: "new_keys", temporary: true, columns: ["dedupe_day", "dedupe_key"] } as const;
const MESSAGES = {
  table: "new_messages",
  temporary: true,
  columns: ["dedupe_day", "dedupe_key", "project_id", "message_id", NTH],
} as const;

/** The positions of the copies among the rows. */
export async function findCopies(
  connection: DuckDBConnection,
  known: KnownKeys,
  rows: EventRows,
): Promise<ReadonlySet<number>> {
  const suspects = await known.addAll(connection, rows);
  if (suspects.length === 0) return new Set();
  const some = withEqualKeys(rows, suspects);
  await stage(connection, KEYS, some);
  const stored = await findStored(connection, some);
  if (stored === undefined && !(await hasRepeated(connection))) return new Set();
  await stage(connection, MESSAGES, some);
  const copies = [REPEATED, ...(stored === undefined ? [] : [storedCopies(stored)])].join("\nUNION\n");
  const found = await connection.runAndReadAll(copies);
  return new Set((readRows(found) as { nth: number }[]).map(({ nth }) => nth));
}

/**
 * The suspects and the rows that may have the same key: half of it is compared, and more rows than needed do no harm. One
 * event that was sent again, or with another day, had all keys of today read for the 28,000 others of its batch.
 */
function withEqualKeys({ block, rows }: EventRows, suspects: readonly number[]): EventRows {
  const keys = block.column("dedupe_key");
  const halves = new Set(suspects.map((row) => keys[row * 2]));
  return { block, rows: rows.filter((row) => halves.has(keys[row * 2])) };
}

async function stage(
  connection: DuckDBConnection,
  target: typeof KEYS | typeof MESSAGES,
  rows: EventRows,
): Promise<void> {
  const { table, columns } = target;
  const selected = columns.map((name) => (name === NTH ? `CAST(0 AS INTEGER) AS ${NTH}` : name));
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS SELECT ${selected.join(", ")} FROM events LIMIT 0`);
  await appendEvents(connection, target, rows);
}

async function hasRepeated(connection: DuckDBConnection): Promise<boolean> {
  const found = await connection.runAndReadAll("SELECT count(*) - count(DISTINCT dedupe_key) AS n FROM new_keys");
  return (readRows(found) as { n: number }[])[0]?.n !== 0;
}

const REPEATED = `SELECT ${NTH} AS nth FROM new_messages
QUALIFY row_number() OVER (PARTITION BY dedupe_key, project_id, message_id ORDER BY ${NTH}) > 1`;

/** Above this number of stored rows under the keys of a batch, their texts are read by day instead of by row id. */
const MOST_LISTED_ROWS = 20_000;

/** The condition of the stored rows with a key of the batch; undefined if there are none. */
async function findStored(connection: DuckDBConnection, rows: EventRows): Promise<string | undefined> {
  const ofDays = daysClause("e.dedupe_day", daysOf(rows, "dedupe_day"));
  // Row ids are texts: they may exceed the range of a number.
  const found = await connection.runAndReadAll(
    `SELECT CAST(e.rowid AS VARCHAR) AS row_id
     FROM events AS e SEMI JOIN new_keys AS n ON n.dedupe_key = e.dedupe_key AND n.dedupe_day = e.dedupe_day
     WHERE ${ofDays}
     LIMIT ${MOST_LISTED_ROWS + 1}`,
  );
  const rowIds = (readRows(found) as { row_id: string }[]).map(({ row_id }) => row_id);
  if (rowIds.length === 0) return undefined;
  return rowIds.length > MOST_LISTED_ROWS ? ofDays : `e.rowid IN (${rowIds.join(", ")})`;
}

/**
 * Texts are read only for matching keys: reading a column of ids takes 50 times as long as reading the keys. No step
 * pairs stored with new rows of the same key: 3,000 events with one key made 9 million pairs, and the writer stood still
 * for minutes.
 */
function storedCopies(stored: string): string {
  return `SELECT n.${NTH} AS nth FROM new_messages AS n
SEMI JOIN (SELECT dedupe_day, dedupe_key, project_id, message_id FROM events AS e WHERE ${stored}) AS s
    ON s.dedupe_key = n.dedupe_key AND s.dedupe_day = n.dedupe_day
    AND s.project_id = n.project_id AND s.message_id = n.message_id`;
}

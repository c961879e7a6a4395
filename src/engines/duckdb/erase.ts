/**
 * Erases a wallet in one transaction: its events, those of visitors that used no other wallet, and what the app said of
 * it. Their sessions are computed again from the events that remain, and their partitions are dirty, as after a late
 * event.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { sessionsSql } from "../../materialize/sessions.ts";
import type { LedgerEntry } from "../batch.ts";
import type { Erased, ErasedWallet } from "../maintenance.ts";
import { isFoundInTexts } from "../parked-row.ts";
import type { Database } from "./database.ts";
import { markDirty } from "./mark-dirty.ts";
import { PROFILE_TABLES } from "./profiles.ts";
import { readRows } from "./rows.ts";
import { removeRunningDays } from "./running-days.ts";
import { insertLedger } from "./store-batch.ts";

const OF_WALLET = "WHERE project_id = $project AND address = $address";

export async function eraseWallet(
  database: Database,
  { projectId, address }: ErasedWallet,
  nowMs: number,
): Promise<Erased> {
  const values = { project: projectId, address };
  return database.write(async (connection) => {
    await connection.run(FIND_VISITORS, values);
    await connection.run(FIND_EVENTS, values);
    const erased = await countErased(connection);
    await insertLedger(connection, await readLedger(connection));
    // By row: two messages may have one dedupe key.
    await connection.run("DELETE FROM events WHERE rowid IN (SELECT row_id FROM erased)");
    await replaceSessions(connection);
    await removeRunningDays(connection, [projectId]);
    await markDirty(connection, "erased", nowMs);
    for (const table of PROFILE_TABLES) await connection.run(`DELETE FROM ${table} ${OF_WALLET}`, values);
    const properties = (await connection.run(`DELETE FROM wallet_properties ${OF_WALLET}`, values)).rowsChanged;
    const labels = (await connection.run(`DELETE FROM wallet_labels ${OF_WALLET}`, values)).rowsChanged;
    const parked = isFoundInTexts(address) ? await removeParked(connection, values) : 0;
    for (const table of ["erased", "erased_visitors"]) await connection.run(`DROP TABLE temp.${table}`);
    return { ...erased, properties, labels, parked };
  });
}

/** Visitors that were seen with the wallet and with no other. */
const FIND_VISITORS = `CREATE OR REPLACE TEMP TABLE erased_visitors AS
SELECT anonymous_id
FROM events
WHERE project_id = $project AND anonymous_id != ''
    AND anonymous_id IN (SELECT anonymous_id FROM events ${OF_WALLET})
GROUP BY anonymous_id
HAVING count(*) FILTER (WHERE address NOT IN ('', $address)) = 0`;

const FIND_EVENTS = `CREATE OR REPLACE TEMP TABLE erased AS
SELECT rowid AS row_id, project_id, day, session, epoch_ms(received_at) // 60000 * 60 AS minute
FROM events
WHERE project_id = $project
    AND (address = $address OR anonymous_id IN (SELECT anonymous_id FROM erased_visitors))`;

async function countErased(connection: DuckDBConnection): Promise<Pick<Erased, "events" | "visitors">> {
  const sql = "SELECT (SELECT count(*) FROM erased) AS events, (SELECT count(*) FROM erased_visitors) AS visitors";
  const [row] = readRows(await connection.runAndReadAll(sql)) as { events: number; visitors: number }[];
  return { events: row?.events ?? 0, visitors: row?.visitors ?? 0 };
}

/** Received = stored + duplicate + parked + refused also holds for what is left. */
async function readLedger(connection: DuckDBConnection): Promise<LedgerEntry[]> {
  const sql = "SELECT project_id, minute, CAST(day AS VARCHAR) AS day, count(*) AS n FROM erased GROUP BY ALL";
  const rows = readRows(await connection.runAndReadAll(sql)) as {
    project_id: string;
    minute: number;
    day: string;
    n: number;
  }[];
  return rows.map(({ n, ...row }) => ({ ...row, outcome: "stored", reason: "", events: -n }));
}

async function replaceSessions(connection: DuckDBConnection): Promise<void> {
  const touched = "(project_id, day, session) IN (SELECT project_id, day, session FROM erased)";
  await connection.run(`DELETE FROM sessions WHERE ${touched}`);
  await connection.run(`INSERT INTO sessions
WITH some_events AS (SELECT *, rowid FROM events WHERE ${touched})
SELECT * FROM (${sessionsSql({ events: "some_events" })})`);
}

const HAS_ADDRESS = (text: string) => `contains(lower(${text}), lower($address))`;

/** An address that lies in two pieces of a text has at most all but one of its characters in each. */
const FIND_PARKED = `CREATE OR REPLACE TEMP TABLE erased_parked AS
SELECT id FROM parked_raw WHERE project_id = $project AND ${HAS_ADDRESS("text")}
UNION
SELECT p.id
FROM parked_raw AS p
INNER JOIN parked_raw AS n ON n.project_id = p.project_id AND n.id = p.id AND n.nth = p.nth + 1
WHERE p.project_id = $project
    AND ${HAS_ADDRESS("right(p.text, length($address) - 1) || left(n.text, length($address) - 1)")}`;

/** Parked events whose text has the address, in any case. */
async function removeParked(
  connection: DuckDBConnection,
  values: { project: string; address: string },
): Promise<number> {
  await connection.run(FIND_PARKED, values);
  const found = "WHERE project_id = $project AND id IN (SELECT id FROM erased_parked)";
  const { rowsChanged } = await connection.run(`DELETE FROM parked_events ${found}`, { project: values.project });
  await connection.run(`DELETE FROM parked_raw ${found}`, { project: values.project });
  await connection.run("DROP TABLE temp.erased_parked");
  return rowsChanged;
}

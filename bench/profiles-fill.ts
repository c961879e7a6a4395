/**
 * Fills the warehouse with the profiles of many wallets in minutes: what a search reads, and not the events of the days
 * before today, which no search reads. The engine itself generates it by SQL.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Database, openDatabase } from "../src/engines/duckdb/database.ts";
import { toStatement } from "../src/engines/duckdb/statement.ts";
import { readSqlParts } from "../src/lib/sql.ts";
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { sessionsSql } from "../src/materialize/sessions.ts";
import { DAYS, LOAD_LIMITS, loadEvents, prepare } from "./query-load.ts";

const partOf = readSqlParts(new URL("./profiles-data.sql", import.meta.url));
const DAYS_AT_ONCE = 5;
const TOUCH_DAYS = 30;

export interface FillPlan {
  readonly project: string;
  readonly wallets: number;
  /** Of all days. Half of a day's are of today: as at noon. */
  readonly events: number;
  /** Another load has other visitors. */
  readonly load: number;
}

export async function fillProfiles(path: string, { project, wallets, events, load }: FillPlan): Promise<void> {
  const nowMs = Date.now();
  const today = dayOf(nowMs);
  const ofToday = Math.ceil(events / DAYS / 2);
  await loadEvents(path, { load, events: ofToday, projects: [project], days: 1, endMs: nowMs }, () => undefined);
  const database = await openDatabase(path, LOAD_LIMITS);
  await prepare(database, load);
  await run(database, partOf("wallets"), { wallets, today });
  for (let ago = DAYS - 1; ago > 0; ago -= DAYS_AT_ONCE) {
    const of = (days: number) => dayOf(nowMs - days * DAY_MS);
    const params = { project, first_day: of(ago), last_day: of(Math.max(1, ago - DAYS_AT_ONCE + 1)) };
    await run(database, partOf("sums"), params);
  }
  await run(database, "DROP TABLE temp.filled_wallets", {});
  await replaceSessions(database, project, today);
  for (let ago = 1; ago <= TOUCH_DAYS; ago += 1)
    for (const copy of [0, 1]) await run(database, partOf("earlier_sessions"), { project, today, ago, copy });
  await run(database, partOf("state"), { project, today });
  await database.close();
}

/** Those of today, of all loads. */
async function replaceSessions(database: Database, project: string, today: string): Promise<void> {
  const ofToday = "(SELECT *, rowid FROM events WHERE project_id = {project:String} AND day = {today:Date})";
  await run(database, "DELETE FROM sessions WHERE project_id = {project:String}", { project });
  await run(database, `INSERT INTO sessions\n${sessionsSql({ events: ofToday })}`, { project, today });
}

async function run(database: Database, text: string, params: Record<string, unknown>): Promise<void> {
  const { sql, values } = toStatement(text, params);
  await database.alone(async (connection: DuckDBConnection) => {
    await connection.run(sql, values);
    await connection.run("CHECKPOINT");
  });
}

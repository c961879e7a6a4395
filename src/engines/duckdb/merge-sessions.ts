/**
 * Merges new events into the sessions they touch, inside the writer's transaction. Making those sessions again from all of their events would read
 * the whole day, since a visitor's day is one session unless the client says otherwise: 333 ms on a day of 4 million events, growing. Merged, a batch
 * reads the rows of its own sessions alone.
 */
import { type DuckDBConnection, UBIGINT, VARCHAR } from "@duckdb/node-api";
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { sessionsSql } from "../../materialize/sessions.ts";
import { appendValues } from "./append-values.ts";

export interface TouchedSession {
  readonly projectId: string;
  readonly session: bigint;
  /** Days since 1970. */
  readonly dayNumber: number;
}

/** A list of days prunes row groups one by one, a range is planned faster. */
const MOST_LISTED_DAYS = 16;

/** `events` names the table that holds the new ones, and nothing else. */
export async function mergeSessions(
  connection: DuckDBConnection,
  events: string,
  touched: readonly TouchedSession[],
): Promise<void> {
  if (touched.length === 0) return;
  await fillTouched(connection, touched);
  const where = daysClause("s.day", [...new Set(touched.map(({ dayNumber }) => dayNumber))]);
  const known = `(SELECT s.* FROM sessions AS s SEMI JOIN touched AS t ON t.project_id = s.project_id AND t.session = s.session WHERE ${where})`;
  await connection.run(`CREATE OR REPLACE TEMP TABLE merged AS ${sessionsSql({ events, sessions: known })}`);
  await connection.run(
    `DELETE FROM sessions AS s USING touched AS t WHERE t.project_id = s.project_id AND t.session = s.session AND ${where}`,
  );
  await connection.run("INSERT INTO sessions SELECT * FROM merged");
}

async function fillTouched(connection: DuckDBConnection, touched: readonly TouchedSession[]): Promise<void> {
  await connection.run("CREATE OR REPLACE TEMP TABLE touched (project_id VARCHAR, session UBIGINT)");
  await appendValues(
    connection,
    { table: "touched", temporary: true },
    [VARCHAR, UBIGINT],
    touched.map(({ projectId, session }) => [projectId, session]),
  );
}

/** The days are numbers of our own: no text of anybody's gets into the statement. */
export function daysClause(column: string, dayNumbers: readonly number[]): string {
  const days = [...dayNumbers].sort((a, b) => a - b).map((day) => `DATE '${dayOf(day * DAY_MS)}'`);
  return days.length > MOST_LISTED_DAYS
    ? `${column} BETWEEN ${days[0]} AND ${days.at(-1)}`
    : `${column} IN (${days.join(", ")})`;
}

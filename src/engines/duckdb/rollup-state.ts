/**
 * Rows of `rollup_state` are replaced and never updated. An UPDATE blocks checkpoints while a read runs that began
 * before it (one checkpoint waited 19 s); a DELETE and an INSERT do not. The same holds for `log_cursors`.
 */
import { type DuckDBConnection, listValue } from "@duckdb/node-api";
import { readRows } from "./rows.ts";

export interface RollupState {
  readonly project_id: string;
  readonly clean_through: string;
  readonly removed_before: string;
  readonly dirty_ms: number;
  readonly since_ms: number;
  /** The rollups leave out the sessions of bots. */
  readonly without_bots: boolean;
}

/** As `clean_through`: no partition is clean. As `removed_before`: none was removed. */
export const BEFORE_ALL = "1969-12-31";

export async function readStates(
  connection: DuckDBConnection,
  projects: readonly string[],
): Promise<Map<string, RollupState>> {
  const found = await connection.runAndReadAll(
    `SELECT project_id, clean_through, removed_before, epoch_ms(dirty_at) AS dirty_ms, epoch_ms(dirty_since) AS since_ms,
       without_bots
     FROM rollup_state WHERE project_id IN CAST($projects AS VARCHAR[])`,
    { projects: listValue([...projects]) },
  );
  return new Map((readRows(found) as unknown as RollupState[]).map((state) => [state.project_id, state]));
}

export async function replaceState(connection: DuckDBConnection, state: RollupState): Promise<void> {
  await replaceStates(connection, [state]);
}

/** Two statements, however many projects there are. */
export async function replaceStates(connection: DuckDBConnection, states: readonly RollupState[]): Promise<void> {
  if (states.length === 0) return;
  const projects = listValue(states.map(({ project_id }) => project_id));
  await connection.run("DELETE FROM rollup_state WHERE project_id IN CAST($projects AS VARCHAR[])", { projects });
  await connection.run(
    `INSERT INTO rollup_state
     SELECT unnest(CAST($projects AS VARCHAR[])), unnest(CAST($clean_through AS DATE[])),
       unnest(CAST($removed_before AS DATE[])), make_timestamp_ms(unnest(CAST($dirty_ms AS BIGINT[]))),
       make_timestamp_ms(unnest(CAST($since_ms AS BIGINT[]))), unnest(CAST($without_bots AS BOOLEAN[]))`,
    {
      projects,
      clean_through: listValue(states.map(({ clean_through }) => clean_through)),
      removed_before: listValue(states.map(({ removed_before }) => removed_before)),
      dirty_ms: listValue(states.map(({ dirty_ms }) => String(dirty_ms))),
      since_ms: listValue(states.map(({ since_ms }) => String(since_ms))),
      without_bots: listValue(states.map(({ without_bots }) => without_bots)),
    },
  );
}

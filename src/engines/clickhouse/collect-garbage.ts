/**
 * Garbage collection: removes the rows of superseded and of unfinished revisions. The DELETE lists the revisions,
 * because a replicated table refuses a DELETE with a subquery: each replica would evaluate it at another time.
 */
import { MARGINS } from "../../materialize/margins.ts";
import { readClock } from "./catalog.ts";
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import { Tuple } from "./params.ts";
import { LAYOUT, lowestRevision } from "./revisions.ts";

const TABLES = ["session_rows", "rollup_rows", "profile_day_rows", "profile_touch_rows", "revisions"] as const;
/** About 40 KB of parameters for one statement. */
const REVISIONS_AT_ONCE = 500;
/**
 * Bounds one run, also on a server that deletes asynchronously and lists the same rows again. The next run continues.
 */
const STEPS = 20;

const findGarbage = (table: string) => `SELECT toString(project_id) AS project, day AS of_day, garbage
FROM
(
    SELECT project_id, day, groupUniqArrayIf(number, is_noted = 0) AS numbers, maxIf(number, is_noted = 1) AS current
    FROM
    (
        SELECT project_id, day, revision AS number, 0 AS is_noted FROM ${table} GROUP BY project_id, day, revision
        UNION ALL
        SELECT project_id, day, max(revision) AS number, 1 AS is_noted FROM revisions
        WHERE layout = ${LAYOUT} GROUP BY project_id, day
    )
    GROUP BY project_id, day
)
ARRAY JOIN numbers AS garbage
WHERE (garbage < current AND current < {superseded_before:UInt64})
    OR (garbage != current AND garbage < {unfinished_before:UInt64})
LIMIT ${REVISIONS_AT_ONCE}`;

export async function collectGarbage(clickhouse: Clickhouse, signal: AbortSignal): Promise<void> {
  const nowMs = await readClock(clickhouse, signal);
  const params = {
    superseded_before: lowestRevision(nowMs - MARGINS.keepSupersededMs),
    unfinished_before: lowestRevision(nowMs - MARGINS.keepUnfinishedMs),
  };
  for (const table of TABLES) {
    const sql = `DELETE FROM ${localTable(table, clickhouse.cluster)}
WHERE (project_id, day, revision) IN {garbage:Array(Tuple(String, Date, UInt64))}`;
    for (let step = 0; step < STEPS; step += 1) {
      const { rows } = await clickhouse.select<{ project: string; of_day: string; garbage: number }>(
        findGarbage(table),
        {
          params,
          signal,
        },
      );
      if (rows.length === 0) break;
      const garbage = rows.map((row) => new Tuple(row.project, row.of_day, row.garbage));
      await clickhouse.command(sql, { params: { garbage }, signal });
    }
  }
}

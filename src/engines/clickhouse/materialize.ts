/**
 * Materializes sessions, rollups and profiles of finished partitions, in the order of days: `seen_before` of a partition depends
 * on all earlier ones. Rows are written under a new revision, which is recorded last. So several workers may
 * materialize the same partition, and a worker may die at any point.
 */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { PROFILE_DAY_COLUMNS, PROFILE_TOUCH_COLUMNS, PROFILES } from "../../materialize/profiles.ts";
import { ROLLUPS } from "../../materialize/rollups.ts";
import { sessionsInTwoReads } from "../../materialize/sessions.ts";
import type { DuePartition, ListedPartition, Partition } from "../maintenance.ts";
import { ROLLUP_COLUMNS, SESSION_COLUMNS } from "../report-columns.ts";
import { CATALOG_OF_ALL, CATALOG_OF_PROJECTS, HAS_WANTED_SESSIONS, IS_SETTLED, STARTED_MS } from "./catalog.ts";
import type { Clickhouse } from "./database.ts";
import { insertLines } from "./insert-parked.ts";
import { withPartition } from "./relations.ts";
import { LAYOUT, newRevision } from "./revisions.ts";

/** Another partition of the project may be listed for its setting: its new revision makes all later ones dirty. */
const LIST = `SELECT project_id, day
FROM
(
    SELECT
        *,
        is_there AND is_clean AND NOT (${HAS_WANTED_SESSIONS}) AS is_changed,
        max(is_changed) OVER (PARTITION BY project_id) AS is_last
    FROM (${CATALOG_OF_ALL})
)
WHERE is_there AND (NOT is_clean OR is_changed) AND day <= {last_day:Date} AND ${IS_SETTLED}
ORDER BY is_last, day, project_id`;

/**
 * Finished dirty partitions, oldest first. Partitions with recent marks wait, and so do the later ones of the project.
 * Projects come last whose reports have changed between counting and leaving out bots.
 */
export async function listDirty(
  clickhouse: Clickhouse,
  settleMs: number,
  nowMs: number,
  withoutBots: readonly string[],
): Promise<ListedPartition[]> {
  const lastDay = dayOf(nowMs - MARGINS.dayIsOverMs - DAY_MS);
  const params = { settle_ms: settleMs, last_day: lastDay, without_bots_in: withoutBots };
  const { rows } = await clickhouse.select<Partition>(LIST, { params });
  const leaving = new Set(withoutBots);
  let group = 0;
  return rows.map((partition, nth) => {
    if (partition.day !== rows[nth - 1]?.day) group += 1;
    return { ...partition, without_bots: leaving.has(partition.project_id), group };
  });
}

interface Due {
  readonly project_id: string;
  readonly own_dedupe_days: readonly string[];
  /** As text: a number cannot hold 64 bits. */
  readonly own_depends_on: string;
  readonly started_ms: number;
  readonly read_ms: number;
  /** The revisions of the earlier partitions. */
  readonly earlier: readonly number[];
}

/** The partitions of one day that can be materialized now: all earlier ones of their projects are clean. */
const DUE = `SELECT
    project_id,
    anyIf(dedupe_days, day = {day:Date}) AS own_dedupe_days,
    toString(anyIf(depends_on, day = {day:Date})) AS own_depends_on,
    any(${STARTED_MS}) AS started_ms,
    any(now_ms) AS read_ms,
    groupArrayIf(revision, is_there AND day < {day:Date}) AS earlier
FROM (${CATALOG_OF_PROJECTS})
WHERE day <= {day:Date}
GROUP BY project_id
HAVING countIf(
        day = {day:Date} AND is_there AND NOT (is_clean AND ${HAS_WANTED_SESSIONS}) AND ${IS_SETTLED}
    ) = 1
    AND countIf(day < {day:Date} AND NOT is_clean) = 0`;

/** Leaves capacity for reports on a small server. */
const AT_ONCE = 2;

export async function materialize(
  clickhouse: Clickhouse,
  settleMs: number,
  partitions: readonly DuePartition[],
  signal: AbortSignal,
): Promise<Partition[]> {
  const done: Partition[] = [];
  for (const [day, ofDay] of [...Map.groupBy(partitions, (one) => one.day)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const withoutBots = ofDay.filter(({ without_bots }) => without_bots).map(({ project_id }) => project_id);
    const params = {
      day,
      settle_ms: settleMs,
      projects: ofDay.map(({ project_id }) => project_id),
      without_bots_in: withoutBots,
    };
    const due = [...(await clickhouse.select<Due>(DUE, { params, signal })).rows];
    const work = async () => {
      for (let next = due.pop(); next !== undefined; next = due.pop()) {
        const partition = { project_id: next.project_id, day, without_bots: withoutBots.includes(next.project_id) };
        await materializePartition(clickhouse, partition, next, signal);
        done.push({ project_id: next.project_id, day });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return done;
}

const OF_PARTITION = `(SELECT * FROM events_rows FINAL
    WHERE project_id = {project:String} AND day = {day:Date} AND dedupe_day IN {dedupe_days:Array(Date)})`;

const INSERT_SESSIONS = `INSERT INTO session_rows (${SESSION_COLUMNS.join(", ")}, revision)
SELECT ${SESSION_COLUMNS.join(", ")}, {revision:UInt64}
FROM (
${sessionsInTwoReads(OF_PARTITION)}
)`;

const INSERT_ROLLUPS = ROLLUPS.map(
  (sql) => `INSERT INTO rollup_rows (${ROLLUP_COLUMNS.join(", ")}, revision)
${withPartition(`SELECT ${ROLLUP_COLUMNS.join(", ")}, {revision:UInt64}\nFROM (\n${sql}\n)`)}`,
);

const INSERT_PROFILES = [
  insertProfiles("profile_day_rows", PROFILE_DAY_COLUMNS, PROFILES.profile_days),
  insertProfiles("profile_touch_rows", PROFILE_TOUCH_COLUMNS, PROFILES.profile_touches),
];

function insertProfiles(table: string, columns: readonly string[], sql: string): string {
  return `INSERT INTO ${table} (${columns.join(", ")}, revision)
${withPartition(`SELECT ${columns.join(", ")}, {revision:UInt64}\nFROM (\n${sql}\n)`)}`;
}

/** Also holds for FINAL in subqueries. A partition may hold events of several months by their dedupe day. */
const SETTINGS = { do_not_merge_across_partitions_select_final: 1, max_partitions_per_insert_block: 0 } as const;

async function materializePartition(
  clickhouse: Clickhouse,
  { project_id, day, without_bots }: DuePartition,
  due: Due,
  signal: AbortSignal,
): Promise<void> {
  const { own_dedupe_days: dedupe_days, own_depends_on: depends_on, started_ms, read_ms, earlier } = due;
  const revision = newRevision(read_ms);
  const params = {
    project: project_id,
    day,
    first_day: day,
    last_day: day,
    dedupe_days,
    revision,
    revisions: [...earlier, revision],
    without_bots: without_bots ? 1 : 0,
    slice: 0,
    slices: 1,
  };
  for (const sql of [INSERT_SESSIONS, ...INSERT_ROLLUPS, ...INSERT_PROFILES])
    await clickhouse.command(sql, { params, settings: SETTINGS, signal });
  const recorded = {
    project_id,
    day,
    revision,
    started_at: started_ms,
    depends_on,
    layout: LAYOUT,
    without_bots: without_bots ? 1 : 0,
  };
  await insertLines(clickhouse, "revisions", [recorded], signal);
}

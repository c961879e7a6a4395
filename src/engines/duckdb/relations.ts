/**
 * The relations of a report. `events`, `sessions` and `rollups` are tables; `scope` holds, per project, the first day
 * and the first dirty day: all are dirty if the rollups are made of other sessions than the report asks for.
 */
import { DAY_MS, dayOf, latestDay } from "../../lib/time.ts";
import { ROLLED_UP_COLUMNS } from "../../materialize/rollups.ts";
import { sessionsSql } from "../../materialize/sessions.ts";
import type { AnalyticsEngine } from "../port.ts";
import { ANY_DAY, type Relations, type ReportScope } from "../relations.ts";
import { zoneRows } from "../zone-sql.ts";
import { profileRelations } from "./relations-profiles.ts";
import { ZONE_DIALECT, zoneRelations } from "./relations-zone.ts";
import { SCOPE } from "./scope.ts";

/**
 * The events of dirty days that are not rolled up. Two reads, so that the bounds of the first skip row groups, which lie in
 * the order of receipt. The second one has events of days after the running one, received before: of clocks that are ahead.
 */
const OPEN_EVENTS = `SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN {scope_projects:Array(String)}
    AND e.received_at > o.received_to AND e.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}
UNION ALL
SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN {scope_projects:Array(String)}
    AND e.received_at <= o.received_to AND e.day > o.running_day
    AND e.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}`;

const ROLLED_UP = ROLLED_UP_COLUMNS.map((name) => `v.${name} AS ${name}`).join(", ");

/**
 * The sessions of dirty days that are not rolled up, and with a weight of -1 the rows under which some of them are. The
 * reads are those of `open_events`: rows of `sessions` lie in the order in which they were replaced last.
 */
const OPEN_SESSIONS = `SELECT ${ROLLED_UP}, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)}
    AND v.received_to > o.received_to AND v.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}
UNION ALL
SELECT ${ROLLED_UP}, 1 AS weight FROM sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)}
    AND v.received_to <= o.received_to AND v.day > o.running_day
    AND v.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}
UNION ALL
SELECT ${ROLLED_UP}, -1 AS weight FROM replaced_sessions AS v
INNER JOIN scope AS o ON o.project_id = v.project_id
WHERE v.project_id IN {scope_projects:Array(String)} AND v.day = o.running_day AND v.received_to <= o.received_to`;

const OPEN_HOURS = `SELECT e.* FROM main.events AS e
INNER JOIN scope AS o ON o.project_id = e.project_id
WHERE e.project_id IN {scope_projects:Array(String)}
    AND e.timestamp >= o.hours_to AND e.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date}`;

const OUTDATED_EVENTS = `(SELECT e.*, e.rowid FROM events AS e
    SEMI JOIN outdated_sessions AS o ON o.project_id = e.project_id AND o.day = e.day
    WHERE e.project_id IN {scope_projects:Array(String)}
        AND e.day BETWEEN {scope_first_day:Date} AND {scope_last_day:Date})`;

/** After a migration that removed the sessions, while they are being rebuilt. */
const SESSIONS = `SELECT s.* FROM main.sessions AS s
ANTI JOIN outdated_sessions AS o ON o.project_id = s.project_id AND o.day = s.day
UNION ALL
SELECT * FROM (
${sessionsSql({ events: OUTDATED_EVENTS })}
) AS made`;

const ALL_DAYS = { scope_first_day: "1970-01-01", scope_last_day: "2149-06-05" } as const;

const ARRIVALS = `SELECT *
FROM events
WHERE project_id IN {arrivals_projects:Array(String)}
    AND received_at >= fromUnixTimestamp64Milli({arrivals_ms:Int64})`;

const WRITTEN = `SELECT project_id, epoch_ms(minute) AS minute_ms, CAST(sum(events) AS BIGINT) AS events
FROM ledger
WHERE project_id IN {written_projects:Array(String)}
    AND minute >= fromUnixTimestamp64Milli({written_ms:Int64})
    AND outcome = 'stored'
GROUP BY project_id, minute`;

/**
 * Clean partitions come before dirty ones and have rollups. A project without a clean partition is read from its
 * sessions, which are a tenth of its events, and from the list of partitions that have none.
 */
const FIRST_CLEAN = `SELECT project_id, min(day) AS day FROM rollups
WHERE project_id IN {first_days_projects:Array(String)}
GROUP BY project_id`;
const FIRST_DAYS = `SELECT d.project_id AS project_id, min(d.day) AS first_day
FROM
(
    SELECT project_id, day FROM first_clean
    UNION ALL
    SELECT s.project_id, s.day FROM main.sessions AS s
    WHERE s.project_id IN {first_days_projects:Array(String)}
        AND s.project_id NOT IN (SELECT project_id FROM first_clean)
    UNION ALL
    SELECT project_id, day FROM outdated_sessions WHERE project_id IN {first_days_projects:Array(String)}
) AS d
GROUP BY d.project_id`;

export function createRelations(engine: Pick<AnalyticsEngine, "select">): Relations {
  let isComplete = false;
  return {
    sharesCtes: true,
    /**
     * One statement reads the state and the rollups, so that both belong to the same snapshot. Until the answer is once
     * no, a report first asks whether any sessions are outdated. Later only a migration can make them so, and that needs
     * a restart.
     */
    async forReport(scope, signal) {
      isComplete ||= await hasNoneOutdated(engine, signal);
      const asked = scope.zone !== undefined && isComplete ? await withinStored(engine, scope, signal) : scope;
      const zone = zoneRows(asked, ZONE_DIALECT);
      if (zone !== undefined)
        return zoneRelations(scope, zone, { stored: isComplete ? "main.sessions" : `(${SESSIONS})`, isComplete });
      const { projects, firstDay, lastDay } = scope;
      const sessions = isComplete ? [] : [{ name: "sessions", sql: SESSIONS }];
      return {
        ctes: [
          { name: "scope", sql: SCOPE },
          ...sessions,
          { name: "open_events", sql: OPEN_EVENTS, isOptional: true },
          { name: "open_hours", sql: OPEN_HOURS, isOptional: true },
          { name: "open_sessions", sql: OPEN_SESSIONS, isOptional: true },
        ],
        params: {
          scope_projects: projects.map(({ id }) => id),
          scope_first_days: projects.map((project) => project.firstDay),
          scope_without_bots: projects.filter(({ withoutBots }) => withoutBots).map(({ id }) => id),
          scope_first_day: firstDay,
          scope_last_day: lastDay,
        },
        reads: { projects: projects.map(({ id }) => id), lastDay },
      };
    },
    async forProfiles(project, addresses, signal) {
      isComplete ||= await hasNoneOutdated(engine, signal);
      const { ctes, params, kept } = profileRelations(project, addresses);
      if (isComplete) return { ctes, params, kept };
      return {
        ctes: [{ name: "sessions", sql: SESSIONS }, ...ctes],
        params: { ...params, scope_projects: [project], ...ALL_DAYS },
      };
    },
    arrivals: (projects, sinceMs) => ({
      ctes: [{ name: "arrivals", sql: ARRIVALS }],
      params: { arrivals_projects: projects, arrivals_ms: sinceMs },
      reads: { projects, lastDay: ANY_DAY },
    }),
    written: (projects, sinceMs) => ({
      ctes: [{ name: "written", sql: WRITTEN }],
      params: { written_projects: projects, written_ms: sinceMs },
      reads: { projects, lastDay: ANY_DAY },
    }),
    firstDays: (projects) => ({
      ctes: [
        { name: "first_clean", sql: FIRST_CLEAN },
        { name: "first_days", sql: FIRST_DAYS },
      ],
      params: { first_days_projects: projects },
      reads: { projects, lastDay: ANY_DAY },
    }),
  };
}

/** Over more days each row would be compared with many changes of clocks: all days since 1970 have up to 260. */
const MANY_DAYS = 3 * 365;

/** Of many days only those around stored sessions. Events of other days have none. */
async function withinStored(
  { select }: Pick<AnalyticsEngine, "select">,
  scope: ReportScope,
  signal: AbortSignal,
): Promise<ReportScope> {
  if (Date.parse(scope.lastDay) - Date.parse(scope.firstDay) < MANY_DAYS * DAY_MS) return scope;
  const projects = scope.projects.map(({ id }) => id);
  const { rows } = await select<{ first_day: string | null; last_day: string | null }>(STORED_DAYS, {
    params: { scope_projects: projects },
    signal,
  });
  const { first_day: first, last_day: last } = rows[0] ?? {};
  if (!first || !last) return scope;
  const firstDay = latestDay([scope.firstDay, dayOf(Math.max(0, Date.parse(first) - DAY_MS))]);
  const after = dayOf(Date.parse(last) + DAY_MS);
  const [lastDay = scope.lastDay] = [after, scope.lastDay].toSorted();
  return { ...scope, firstDay, lastDay: latestDay([firstDay, lastDay]) };
}

const STORED_DAYS = `SELECT min(s.day) AS first_day, max(s.day) AS last_day
FROM main.sessions AS s WHERE s.project_id IN {scope_projects:Array(String)}`;

async function hasNoneOutdated({ select }: Pick<AnalyticsEngine, "select">, signal: AbortSignal): Promise<boolean> {
  const { rows } = await select<{ n: number }>("SELECT count(*) AS n FROM outdated_sessions", { signal });
  return rows[0]?.n === 0;
}

/**
 * The relation `profiles`. A wallet without an event on a dirty day is its row of `profile_sums`, unless that row is
 * stale. All others are merged here: their valid row, or their rows of clean partitions, with what the events of dirty
 * days say of them.
 */
import { withParts } from "../../lib/sql.ts";
import { PROFILE_COLUMNS, TOUCH_DAYS } from "../../materialize/profile-columns.ts";
import {
  dayColumnsFor,
  profileDaysSql,
  profileSumsSql,
  profileTouchesSql,
  readsTouches,
  shownProfiles,
} from "../../materialize/profiles.ts";
import type { Cte } from "../port.ts";

const SCOPE = `SELECT p.project_id AS project_id, coalesce(r.clean_through, DATE '1969-12-31') + 1 AS dirty_from
FROM (SELECT unnest({profile_projects:Array(String)}) AS project_id) AS p
LEFT JOIN rollup_state AS r ON r.project_id = p.project_id`;

/** From sessions, of which there are a fifth as many as events. */
const DIRTY_PARTITIONS = `SELECT DISTINCT v.project_id AS project_id, v.day AS day
FROM sessions AS v
INNER JOIN profile_scope AS s ON s.project_id = v.project_id
WHERE v.project_id IN {profile_projects:Array(String)} AND v.day >= s.dirty_from`;

/** Joined by equal days, of which DuckDB makes bounds for the scan: it skips the row groups of clean days. */
const dirtyEvents = (some: string) => `(SELECT e.* FROM events AS e
    INNER JOIN dirty_partitions AS d ON d.project_id = e.project_id AND d.day = e.day
    WHERE e.project_id IN {profile_projects:Array(String)} AND e.address != '' AND ${some})`;

const visits = (hasSome: string) => `(SELECT v.* FROM sessions AS v
    INNER JOIN profile_scope AS s ON s.project_id = v.project_id
    WHERE v.project_id IN {profile_projects:Array(String)} AND v.day >= s.dirty_from - ${TOUCH_DAYS}
        AND v.visitor IN
        (
            SELECT w.visitor FROM sessions AS w
            INNER JOIN profile_scope AS z ON z.project_id = w.project_id
            WHERE w.day >= z.dirty_from AND ${hasSome}
        ))`;

const VALID = (some: string) => `SELECT u.* FROM profile_sums AS u
INNER JOIN profile_scope AS s ON s.project_id = u.project_id
WHERE u.project_id IN {profile_projects:Array(String)} AND u.last_day < s.dirty_from AND ${some}`;

const STALE = (some: string) => `SELECT u.project_id AS project_id, u.address AS address, s.dirty_from AS dirty_from
FROM profile_sums AS u
INNER JOIN profile_scope AS s ON s.project_id = u.project_id
WHERE u.project_id IN {profile_projects:Array(String)} AND u.last_day >= s.dirty_from AND ${some}`;

const ofStale = (table: string) => `(SELECT t.* FROM ${table} AS t
    INNER JOIN stale AS a ON a.project_id = t.project_id AND a.address = t.address
    WHERE t.day < a.dirty_from)`;

const IS_DIRTY = "d.project_id = u.project_id AND d.address = u.address";

/** With `bySome` only the wallets in the parameter `profile_addresses`: every scan leaves the others out. */
export function profilesCte(bySome: boolean): Cte {
  const narrow = (words: ReadonlySet<string>) => profilesOf(bySome, words);
  return { name: "profiles", sql: narrow(new Set(PROFILE_COLUMNS)), narrow };
}

function profilesOf(bySome: boolean, words: ReadonlySet<string>): string {
  const isSome = (of: string) => (bySome ? `${of}.address IN {profile_addresses:Array(String)}` : "1 = 1");
  const hasSome = bySome ? "hasAny(w.addresses, {profile_addresses:Array(String)})" : "notEmpty(w.addresses)";
  const isRead = readsTouches(words);
  const touches = profileTouchesSql({
    sessions: visits(hasSome),
    due: "(r.project_id, r.day) IN (SELECT project_id, day FROM dirty_partitions)",
    someAddresses: bySome ? "address IN {profile_addresses:Array(String)}" : "1 = 1",
  });
  const merged = profileSumsSql(
    {
      days: ["dirty_days", ofStale("profile_days")],
      touches: ["dirty_touches", ofStale("profile_touches")],
      sums: [`(SELECT u.* FROM valid AS u SEMI JOIN dirty_days AS d ON ${IS_DIRTY})`],
    },
    words,
  );
  const ctes = [
    { name: "profile_scope", sql: SCOPE },
    { name: "dirty_partitions", sql: DIRTY_PARTITIONS },
    { name: "dirty_days", sql: profileDaysSql(dirtyEvents(isSome("e")), dayColumnsFor(words)) },
    ...(isRead ? [{ name: "dirty_touches", sql: touches }] : []),
    { name: "valid", sql: VALID(isSome("u")) },
    { name: "stale", sql: STALE(isSome("u")) },
  ];
  const whole = shownProfiles(`(SELECT u.* FROM valid AS u ANTI JOIN dirty_days AS d ON ${IS_DIRTY})`, words);
  return withParts(ctes, `${whole}\nUNION ALL\n${shownProfiles(`(\n${merged}\n)`, words)}`);
}

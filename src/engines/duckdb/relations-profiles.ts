/**
 * The relation `profiles`. A wallet without an event on a dirty day is its row of `profile_sums`, unless that row is
 * stale. All others are merged here: their valid row, or their rows of clean partitions, with what the events of dirty
 * days say of them.
 *
 * Scans are joined with small relations by equal columns, of which DuckDB makes bounds for the scan: it skips the row
 * groups of other days. Addresses are a list and no such relation: the scan itself compares them, and reads the other
 * columns of a wallet only where one is equal.
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
WHERE v.day >= s.dirty_from`;

const dirtyEvents = (isWanted: string) => `(SELECT e.* FROM events AS e
    INNER JOIN dirty_partitions AS d ON d.project_id = e.project_id AND d.day = e.day
    WHERE e.address != '' AND ${isWanted})`;

const VISIT_DAYS = `SELECT DISTINCT project_id, day - CAST(ago AS INTEGER) AS day
FROM dirty_partitions, (SELECT unnest(range(0, ${TOUCH_DAYS + 1})) AS ago)`;

/** Of the visitors with a wallet on a dirty day. */
const visits = (isWanted: string) => `SELECT v.* FROM sessions AS v
INNER JOIN visit_days AS d ON d.project_id = v.project_id AND d.day = v.day
WHERE v.visitor IN (SELECT e.visitor FROM ${dirtyEvents(isWanted)} AS e)`;

const isValid = (isWanted: string) => `(SELECT u.* FROM profile_sums AS u
    INNER JOIN profile_scope AS s ON s.project_id = u.project_id
    WHERE u.last_day < s.dirty_from AND ${isWanted})`;

const stale = (isWanted: string) => `SELECT u.project_id AS project_id, u.address AS address, s.dirty_from AS dirty_from
FROM profile_sums AS u
INNER JOIN profile_scope AS s ON s.project_id = u.project_id
WHERE u.last_day >= s.dirty_from AND ${isWanted}`;

const ofStale = (table: string) => `(SELECT t.* FROM ${table} AS t
    INNER JOIN stale AS a ON a.project_id = t.project_id AND a.address = t.address
    WHERE t.day < a.dirty_from)`;

const IS_DIRTY = "d.project_id = u.project_id AND d.address = u.address";
/** Of a plain column DuckDB makes a filter for the scan, which took five times as long as the scan and left no row out. */
const IS_DIRTY_UNFILTERED = "d.project_id = u.project_id AND d.address = concat(u.address)";

/** With `bySome` only the wallets in the parameter `profile_addresses`: every scan leaves the others out. */
export function profilesCte(bySome: boolean): Cte {
  const narrow = (words: ReadonlySet<string>) => profilesOf(bySome, words);
  return { name: "profiles", sql: narrow(new Set(PROFILE_COLUMNS)), narrow };
}

function profilesOf(bySome: boolean, words: ReadonlySet<string>): string {
  const isWanted = (of: string) => (bySome ? `${of}.address IN {profile_addresses:Array(String)}` : "1 = 1");
  // The few wallets that are asked for are read once; all of them are cheaper to scan twice than to keep.
  const valid = bySome ? "valid" : isValid(isWanted("u"));
  const merged = profileSumsSql(
    {
      days: ["dirty_days", ofStale("profile_days")],
      touches: ["dirty_touches", ofStale("profile_touches")],
      sums: [`(SELECT u.* FROM ${valid} AS u SEMI JOIN dirty_days AS d ON ${IS_DIRTY_UNFILTERED})`],
    },
    words,
  );
  const ctes = [
    { name: "profile_scope", sql: SCOPE },
    { name: "dirty_partitions", sql: DIRTY_PARTITIONS },
    { name: "dirty_days", sql: profileDaysSql(dirtyEvents(isWanted("e")), dayColumnsFor(words)) },
    ...(readsTouches(words) ? dirtyTouches(isWanted) : []),
    ...(bySome ? [{ name: "valid", sql: `SELECT * FROM ${isValid(isWanted("u"))} AS u` }] : []),
    { name: "stale", sql: stale(isWanted("u")) },
  ];
  const whole = shownProfiles(`(SELECT u.* FROM ${valid} AS u ANTI JOIN dirty_days AS d ON ${IS_DIRTY})`, words);
  return withParts(ctes, `${whole}\nUNION ALL\n${shownProfiles(`(\n${merged}\n)`, words)}`);
}

function dirtyTouches(isWanted: (of: string) => string): Cte[] {
  const touches = profileTouchesSql({
    sessions: "visits",
    due: "(r.project_id, r.day) IN (SELECT project_id, day FROM dirty_partitions)",
    someAddresses: isWanted("pairs"),
  });
  return [
    { name: "visit_days", sql: VISIT_DAYS },
    { name: "visits", sql: visits(isWanted("e")) },
    { name: "dirty_touches", sql: touches },
  ];
}

/**
 * Which visitors, user ids and other wallets were seen together with a wallet. Wallets are never merged: this says only
 * what the events of the same visitors have. Read in three steps, each with the days of the step before, so that a
 * wallet of three days reads three days of sessions and not all of them.
 */
import { withRelations } from "../run/with-relations.ts";
import type { ProfileEngine } from "./ask-profiles.ts";
import { selectProfiles } from "./select-profiles.ts";

export interface Identity {
  readonly anonymous_id: string;
  readonly user_id: string;
  readonly address: string;
  readonly events: number;
  readonly first_seen_ms: number;
  readonly last_seen_ms: number;
}

/** Of a wallet that thousands of visitors share, the latest of them. */
const MOST_VISITORS = 1000;
const MOST_IDENTITIES = 1000;

const VISITORS = `SELECT toString(v.visitor) AS visitor, max(v.day) AS last_day
FROM sessions AS v
WHERE v.project_id = {project:String} AND v.day IN {days:Array(Date)} AND has(v.addresses, {address:String})
GROUP BY v.visitor
ORDER BY last_day DESC, visitor
LIMIT ${MOST_VISITORS}`;

const DAYS = `SELECT DISTINCT v.day AS day
FROM sessions AS v
WHERE v.project_id = {project:String} AND v.visitor IN {visitors:Array(UInt64)}`;

/** Events that name nobody but the visitor say nothing new. */
const IDENTITIES = `SELECT
    e.anonymous_id AS anonymous_id,
    e.user_id AS user_id,
    e.address AS address,
    count() AS n_events,
    min(toUnixTimestamp64Milli(e.timestamp)) AS first_ms,
    max(toUnixTimestamp64Milli(e.timestamp)) AS last_ms
FROM events AS e
WHERE e.project_id = {project:String} AND e.day IN {days:Array(Date)} AND e.visitor IN {visitors:Array(UInt64)}
    AND (e.address != '' OR e.user_id != '')
GROUP BY e.anonymous_id, e.user_id, e.address
ORDER BY last_ms DESC, anonymous_id, user_id, address
LIMIT ${MOST_IDENTITIES}`;

interface IdentityRow extends Pick<Identity, "anonymous_id" | "user_id" | "address"> {
  readonly n_events: number;
  readonly first_ms: number;
  readonly last_ms: number;
}

/** Latest first; none for an unknown wallet. The wallet's own rows are among them. */
export async function selectIdentities(
  engine: ProfileEngine,
  project: string,
  address: string,
  signal: AbortSignal,
): Promise<readonly Identity[]> {
  const [profile] = await selectProfiles(engine, project, { addresses: [address], limit: 1 }, signal);
  if (profile === undefined) return [];
  const ofWallet = { days: profile.activity_days, address };
  const found = await select<{ visitor: string }>(engine, project, VISITORS, ofWallet, signal);
  const visitors = found.map(({ visitor }) => BigInt(visitor));
  if (visitors.length === 0) return [];
  const seen = await select<{ day: string }>(engine, project, DAYS, { days: [], visitors }, signal);
  const days = seen.map(({ day }) => day);
  const rows = await select<IdentityRow>(engine, project, IDENTITIES, { days, visitors }, signal);
  return rows.map(({ n_events, first_ms, last_ms, ...who }) => ({
    ...who,
    events: n_events,
    first_seen_ms: first_ms,
    last_seen_ms: last_ms,
  }));
}

/** Reads the given days; without any, all. */
async function select<T>(
  engine: ProfileEngine,
  project: string,
  statement: string,
  given: { readonly days: readonly string[] } & Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const sorted = given.days.toSorted();
  const [firstDay = "1970-01-01", lastDay = "2149-06-05"] = [sorted[0], sorted.at(-1)];
  const scope = { projects: [{ id: project, firstDay, withoutBots: false }], firstDay, lastDay };
  const relations = await engine.relations.forReport(scope, signal);
  const sql = withRelations(relations.ctes, statement);
  const { rows } = await engine.select<T>(sql, { params: { ...relations.params, project, ...given }, signal });
  return rows;
}

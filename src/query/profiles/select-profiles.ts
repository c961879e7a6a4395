/**
 * Profiles of wallets. A page is found by the columns that its conditions and its order name, and the whole rows of its
 * wallets are read afterwards: a profile has 41 columns, of which a search reads two or three.
 */
import type { Cte } from "../../engines/relations.ts";
import { PROFILE_COLUMNS, type PROFILE_KINDS, type ProfileColumn } from "../../materialize/profile-columns.ts";
import type { Clause } from "../filters/condition.ts";
import { askProfiles, type ProfileEngine } from "./ask-profiles.ts";

interface Values {
  readonly text: string;
  readonly integer: number;
  readonly money: number;
  readonly texts: readonly string[];
  /** YYYY-MM-DD. */
  readonly days: readonly string[];
}

export type ProfileRow = { readonly [Name in ProfileColumn]: Values[(typeof PROFILE_KINDS)[Name]] };

export interface ProfileSearch {
  /** A condition on the columns of the relation, as `p.revenue > {least:Float64}`. */
  readonly where?: Clause;
  /** For example `p.last_seen_ms DESC`. The address decides between equals. */
  readonly order?: readonly string[];
  readonly limit: number;
  readonly offset?: number;
  /** Only these wallets: every scan leaves the others out. */
  readonly addresses?: readonly string[];
  /** Relations that the condition or the order reads. */
  readonly ctes?: readonly Cte[];
  /** A join that gives the order more columns, one row a wallet at most. */
  readonly join?: string;
  readonly timeoutMs?: number;
}

export async function selectProfiles(
  engine: ProfileEngine,
  project: string,
  search: ProfileSearch,
  signal: AbortSignal,
): Promise<readonly ProfileRow[]> {
  // Few wallets need no search before.
  if (search.addresses !== undefined) return selectPage<ProfileRow>(engine, project, search, PROFILE_COLUMNS, signal);
  const found = await selectPage<Pick<ProfileRow, "address">>(engine, project, search, ["address"], signal);
  if (found.length === 0) return [];
  const addresses = found.map(({ address }) => address);
  const whole = { addresses, limit: addresses.length };
  const rows = await selectPage<ProfileRow>(engine, project, whole, PROFILE_COLUMNS, signal);
  const byAddress = new Map(rows.map((row) => [row.address, row]));
  // A wallet whose events were removed meanwhile is left out.
  return addresses.flatMap((address) => byAddress.get(address) ?? []);
}

/** Whether an event of the project has the wallet. */
export async function isSeen(
  engine: ProfileEngine,
  project: string,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  return (await countProfiles(engine, project, { addresses: [address] }, signal)) > 0;
}

/** The number of wallets that meet the condition. */
export async function countProfiles(
  engine: ProfileEngine,
  project: string,
  search: Pick<ProfileSearch, "where" | "addresses" | "ctes" | "timeoutMs">,
  signal: AbortSignal,
): Promise<number> {
  const { where = EVERYTHING, addresses, ctes, timeoutMs } = search;
  const sql = `SELECT count() AS n FROM profiles AS p WHERE ${where.sql}`;
  const statement = { sql, params: where.params, addresses, ctes, timeoutMs };
  const rows = await askProfiles<{ n: number }>(engine, project, statement, signal);
  return rows[0]?.n ?? 0;
}

const EVERYTHING: Clause = { sql: "1 = 1", params: {} };

function selectPage<T>(
  engine: ProfileEngine,
  project: string,
  search: ProfileSearch,
  columns: readonly ProfileColumn[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { where = EVERYTHING, addresses, ctes, timeoutMs, limit, offset = 0 } = search;
  const order = [...(search.order ?? []), "p.address"].join(", ");
  const sql = `SELECT ${columns.map((name) => `p.${name} AS ${name}`).join(", ")}
FROM profiles AS p${search.join === undefined ? "" : `\n${search.join}`}
WHERE ${where.sql}
ORDER BY ${order}
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const params = { ...where.params, limit, offset };
  return askProfiles<T>(engine, project, { sql, params, addresses, ctes, timeoutMs }, signal);
}

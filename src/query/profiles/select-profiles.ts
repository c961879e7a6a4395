/**
 * Profiles of wallets. A page is found by the columns that its conditions and its order name, and the whole rows of its
 * wallets are read afterwards: a profile has 41 columns, of which a search reads two or three.
 */
import type { AnalyticsEngine, Cte, SelectParams } from "../../engines/port.ts";
import { PROFILE_COLUMNS, type PROFILE_KINDS, type ProfileColumn } from "../../materialize/profile-columns.ts";
import type { Clause } from "../filters/condition.ts";
import { withRelations } from "../run/with-relations.ts";

interface Values {
  readonly text: string;
  readonly integer: number;
  readonly money: number;
  readonly texts: readonly string[];
  /** YYYY-MM-DD. */
  readonly days: readonly string[];
}

export type ProfileRow = { readonly [Name in ProfileColumn]: Values[(typeof PROFILE_KINDS)[Name]] };

export type ProfileEngine = Pick<AnalyticsEngine, "select" | "relations">;

export interface ProfileSearch {
  /** A condition on the columns of the relation, as `p.revenue > {least:Float64}`. */
  readonly where?: Clause;
  /** For example `p.last_seen_ms DESC`. Project and address decide between equals. */
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
  projects: readonly string[],
  search: ProfileSearch,
  signal: AbortSignal,
): Promise<readonly ProfileRow[]> {
  // Few wallets need no search before.
  if (search.addresses !== undefined) return selectPage<ProfileRow>(engine, projects, search, PROFILE_COLUMNS, signal);
  const found = await selectPage<Wallet>(engine, projects, search, ["project_id", "address"], signal);
  if (found.length === 0) return [];
  const addresses = [...new Set(found.map(({ address }) => address))];
  const whole = { addresses, limit: addresses.length * projects.length };
  const rows = await selectPage<ProfileRow>(engine, projects, whole, PROFILE_COLUMNS, signal);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  // A wallet whose events were removed meanwhile is left out.
  return found.flatMap((wallet) => byKey.get(keyOf(wallet)) ?? []);
}

/** Whether an event of the project has the wallet. */
export async function isSeen(
  engine: ProfileEngine,
  project: string,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  return (await countProfiles(engine, [project], { addresses: [address] }, signal)) > 0;
}

/** The number of wallets that meet the condition. */
export async function countProfiles(
  engine: ProfileEngine,
  projects: readonly string[],
  search: Pick<ProfileSearch, "where" | "addresses" | "ctes" | "timeoutMs">,
  signal: AbortSignal,
): Promise<number> {
  const { sql, params } = search.where ?? EVERYTHING;
  const statement = `SELECT count() AS n FROM profiles AS p WHERE ${sql}`;
  const rows = await select<{ n: number }>(engine, projects, search, statement, params, signal);
  return rows[0]?.n ?? 0;
}

interface Wallet {
  readonly project_id: string;
  readonly address: string;
}

const EVERYTHING: Clause = { sql: "1 = 1", params: {} };
const keyOf = ({ project_id, address }: Wallet) => `${project_id} ${address}`;

function selectPage<T>(
  engine: ProfileEngine,
  projects: readonly string[],
  search: ProfileSearch,
  columns: readonly ProfileColumn[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const { sql, params } = search.where ?? EVERYTHING;
  const order = [...(search.order ?? []), "p.project_id", "p.address"].join(", ");
  const statement = `SELECT ${columns.map((name) => `p.${name} AS ${name}`).join(", ")}
FROM profiles AS p${search.join === undefined ? "" : `\n${search.join}`}
WHERE ${sql}
ORDER BY ${order}
LIMIT {limit:UInt32} OFFSET {offset:UInt32}`;
  const page = { limit: search.limit, offset: search.offset ?? 0 };
  return select<T>(engine, projects, search, statement, { ...params, ...page }, signal);
}

async function select<T>(
  engine: ProfileEngine,
  projects: readonly string[],
  { addresses, ctes = [], timeoutMs }: Pick<ProfileSearch, "addresses" | "ctes" | "timeoutMs">,
  statement: string,
  params: SelectParams,
  signal: AbortSignal,
): Promise<readonly T[]> {
  if (projects.length === 0) return [];
  const relations = await engine.relations.forProfiles(projects, addresses, signal);
  const sql = withRelations([...relations.ctes, ...ctes], statement);
  const { rows } = await engine.select<T>(sql, {
    params: { ...relations.params, ...params },
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return rows;
}

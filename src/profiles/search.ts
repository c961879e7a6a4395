/**
 * Finds profiles. Wallets with events come first, in the wanted order; after them those of which only the app speaks,
 * by address, because all that orders profiles is unknown of them.
 */
import { ADDRESS_PROBLEM } from "../contract/addresses.ts";
import { ApiError } from "../contract/errors.ts";
import { LIFECYCLE_DAYS } from "../contract/lifecycle.ts";
import { FIRST_SAID_MS, type ProfileOrder } from "../contract/profile-fields.ts";
import { validationError } from "../contract/validation-error.ts";
import type { Cte } from "../engines/relations.ts";
import { fillSql, type SqlTexts } from "../lib/sql.ts";
import { dayOf } from "../lib/time.ts";
import { collectInSlices } from "../lib/time-slices.ts";
import { PROFILE_KINDS } from "../materialize/profile-columns.ts";
import { type Clause, joinClauses } from "../query/filters/condition.ts";
import { askProfiles } from "../query/profiles/ask-profiles.ts";
import { countProfiles, isSeen, type ProfileRow, selectProfiles } from "../query/profiles/select-profiles.ts";
import { stageParams, stagesOf } from "../query/reports/stages.ts";
import type { Lookup, LookupContext } from "../query/run/run-lookup.ts";
import type { ProfileOptions, ProfileQuestion, SearchQuestion, Wallet } from "./read-query.ts";
import { viewProfile } from "./view.ts";
import { findNamed, isAnythingTold, KEPT, readTold, WALLET_SQL } from "./wallets.ts";
import { conditionsClause, searchClause } from "./where.ts";

export type ProfileAnswer = ReturnType<typeof viewProfile>;

/** Undefined: no event has the wallet, and the app says nothing about it. */
export function getProfile(projectId: string, question: ProfileQuestion): Lookup<ProfileAnswer | undefined> {
  return {
    name: "profile",
    async run(given) {
      const address = await resolveWallet(projectId, question.wallet, "params.address", given);
      if (address === undefined) return undefined;
      const [row] = await selectProfiles(given.engine, projectId, { addresses: [address], limit: 1 }, given.signal);
      const [view] = await viewAll(projectId, [{ address, row }], question, given);
      return view;
    },
  };
}

const WITH_ALL: ProfileOptions = { expand: new Set(["chains", "labels"]), thresholds: LIFECYCLE_DAYS };

/** The profiles of wallets as a job reads them, with chains and labels. */
export async function readProfiles(
  engine: LookupContext["engine"],
  projectId: string,
  addresses: readonly string[],
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<ProfileAnswer[]> {
  const rows = await selectProfiles(engine, projectId, { addresses, limit: addresses.length }, signal);
  const found = rows.map((row) => ({ address: row.address, row }));
  return viewAll(projectId, found, WITH_ALL, { engine, nowMs, signal });
}

export interface ProfilePage {
  readonly data: readonly ProfileAnswer[];
  readonly total: number;
}

export function searchProfiles(projectId: string, question: SearchQuestion): Lookup<ProfilePage> {
  return { name: "profiles", run: (given) => readPage(projectId, question, given) };
}

/** What the engine is asked for. */
interface Asked {
  readonly where: Clause;
  readonly ctes: readonly Cte[];
  readonly addresses?: readonly string[];
}

async function readPage(projectId: string, question: SearchQuestion, given: LookupContext): Promise<ProfilePage> {
  const { engine, signal } = given;
  const address = await resolveWallet(projectId, question.wallet, "query.address", given);
  const asked = planSearch(projectId, question, given.nowMs, address);
  const [offset, limit] = [(question.page - 1) * question.size, question.size];
  const order = orderOf(projectId, question);
  const rows = await selectProfiles(engine, projectId, { ...withOrder(asked, order), offset, limit }, signal);
  const isLast = rows.length > 0 && rows.length < limit;
  const seen = isLast ? offset + rows.length : await countProfiles(engine, projectId, asked, signal);
  const told = await readToldPage(
    projectId,
    asked,
    { offset: Math.max(0, offset - seen), limit: limit - rows.length, order },
    given,
  );
  const found = [
    ...rows.map((row) => ({ address: row.address, row })),
    ...told.addresses.map((address) => ({ address, row: undefined })),
  ];
  return { data: await viewAll(projectId, found, question, given), total: seen + told.total };
}

function planSearch(projectId: string, question: SearchQuestion, nowMs: number, address: string | undefined): Asked {
  const { conditions, ofSegment, search, thresholds } = question;
  const clauses = [conditionsClause(conditions, "c"), conditionsClause(ofSegment, "s")];
  if (search !== "") clauses.push(searchClause(search));
  if (address !== undefined) clauses.push({ sql: "p.address = {address:String}", params: { address } });
  const where = joinClauses(clauses);
  const reads = (relation: string) => where.sql.includes(relation);
  const stages = reads("FROM stages") ? [VISITS, ...stagesOf("{today:Date}", "", "visits")] : [];
  return {
    where: {
      sql: where.sql,
      params: {
        ...where.params,
        ...(reads("FROM kept_") ? { of_project: projectId } : {}),
        ...(stages.length > 0 ? { ...stageParams(thresholds), today: dayOf(nowMs) } : {}),
      },
    },
    ctes: [...KEPT.filter(({ name }) => reads(`FROM ${name}`)), ...stages],
    ...(address === undefined ? {} : { addresses: [address] }),
  };
}

const VISITS: Cte = { name: "visits", sql: WALLET_SQL("visits") };

/** What is unknown of all wallets orders them by their last event. */
const ORDER_COLUMNS: Partial<Readonly<Record<ProfileOrder, string>>> = {
  first_seen: "first_seen_ms",
  num_sessions: "sessions",
  transactions: "transactions",
  revenue: "revenue",
  volume: "volume",
  points: "points",
};

/** Terms of ORDER BY over `p` and what they need. `told` is of wallets without events. */
interface Order {
  readonly seen: readonly string[];
  readonly told: readonly string[];
  readonly join?: string;
  readonly ctes: readonly Cte[];
  readonly params: Clause["params"];
}

const CHANGES: Cte = { name: "changes", sql: WALLET_SQL("changes") };
const WITH_CHANGES = "LEFT JOIN changes AS c ON c.address = p.address";

const WORTHS: Cte = { name: "worths", sql: WALLET_SQL("worths") };
const WITH_WORTHS = "LEFT JOIN worths AS w ON w.address = p.address";

/** Who has none comes last, by the last event: without a provider these are all. */
function orderByWorth(projectId: string, way: "ASC" | "DESC"): Order {
  const worth = `coalesce(w.worth, ${way === "DESC" ? "-1e300" : "1e300"}) ${way}`;
  return {
    seen: [worth, `p.last_seen_ms ${way}`],
    told: [worth],
    join: WITH_WORTHS,
    ctes: [WORTHS],
    params: { of_project: projectId },
  };
}

/** `updated_at` is the later of the last event and of what the app last said. */
function orderOf(projectId: string, { orderBy, descending }: SearchQuestion): Order {
  const way = descending ? "DESC" : "ASC";
  if (orderBy === "net_worth_usd") return orderByWorth(projectId, way);
  if (orderBy !== "updated_at")
    return { seen: [`p.${ORDER_COLUMNS[orderBy] ?? "last_seen_ms"} ${way}`], told: [], ctes: [], params: {} };
  return {
    seen: [`greatest(p.last_seen_ms, coalesce(c.changed_ms, 0)) ${way}`],
    told: [`coalesce(c.changed_ms, 0) ${way}`],
    join: WITH_CHANGES,
    ctes: [CHANGES],
    params: { of_project: projectId },
  };
}

function withOrder({ where, ctes, ...asked }: Asked, order: Order) {
  return {
    ...asked,
    where: { sql: where.sql, params: { ...where.params, ...order.params } },
    ctes: [...ctes, ...order.ctes],
    order: order.seen,
    ...(order.join === undefined ? {} : { join: order.join }),
  };
}

/** What events would say, as constants: no condition finds it. */
const CONSTANTS = Object.entries(PROFILE_KINDS)
  .filter(([name]) => name !== "project_id" && name !== "address")
  .flatMap(([name, kind]) => {
    if (kind === "text") return [`, '' AS ${name}`];
    return kind === "money" || kind === "integer" ? [`, 0 AS ${name}`] : [];
  })
  .join("");
const TOLD: Cte = { name: "told", sql: fillSql(WALLET_SQL("told"), { constants: CONSTANTS }) };

async function readToldPage(
  projectId: string,
  { where, ctes, addresses }: Asked,
  { offset, limit, order }: { offset: number; limit: number; order: Order },
  { engine, signal }: LookupContext,
): Promise<{ addresses: readonly string[]; total: number }> {
  if (!(await isAnythingTold(engine, projectId, signal))) return { addresses: [], total: 0 };
  const own = [...KEPT, ...ctes.filter(({ name }) => !KEPT.some((kept) => kept.name === name)), TOLD];
  const ask = <T>(part: string, texts: SqlTexts = {}, more: object = {}) => {
    const sql = fillSql(WALLET_SQL(part), { condition: where.sql, ...texts });
    const params = { of_project: projectId, said_from: FIRST_SAID_MS, ...where.params, ...more };
    return askProfiles<T>(engine, projectId, { sql, params, addresses, ctes: [...own, ...order.ctes] }, signal);
  };
  const [counted] = await ask<{ n: number }>("told_count");
  const total = counted?.n ?? 0;
  if (total <= offset || limit === 0) return { addresses: [], total };
  const texts = { join: order.join ?? "", order: [...order.told, "p.address"].join(", ") };
  const page = await ask<{ address: string }>("told_page", texts, { limit, offset });
  return { addresses: page.map(({ address }) => address), total };
}

async function viewAll(
  projectId: string,
  found: readonly { address: string; row: ProfileRow | undefined }[],
  { expand, thresholds }: ProfileOptions,
  { engine, nowMs, signal }: Omit<LookupContext, "owner">,
): Promise<ProfileAnswer[]> {
  const addresses = found.map(({ address }) => address);
  const toldOf = await readTold(engine, projectId, addresses, signal);
  const options = { expand, thresholds, today: dayOf(nowMs) };
  const views = found.values().flatMap(({ address, row }) => {
    const told = toldOf(address);
    return row === undefined && !told.isSaid ? [] : [viewProfile(address, row, told, options)];
  });
  // A page has up to 1,000: others are served in between.
  return collectInSlices(views);
}

/** Undefined: the question names no wallet. Throws for a text that is no address, and a name that no wallet has. */
export async function resolveWallet(
  projectId: string,
  wallet: Wallet | undefined,
  param: string,
  { engine, signal }: LookupContext,
): Promise<string | undefined> {
  if (wallet === undefined || "address" in wallet) return wallet?.address;
  const { spelt, name } = wallet;
  if (await isSeen(engine, projectId, spelt, signal)) return spelt;
  if (name === undefined) throw validationError(new Map([[param, ADDRESS_PROBLEM]]));
  const address = await findNamed(engine, projectId, name, signal);
  if (address !== undefined) return address;
  throw new ApiError("BAD_REQUEST", `No wallet of the project is known by the name ${name}`, { param });
}

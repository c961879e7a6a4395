/**
 * Removes expired partitions and expired parked events. A part with only expired rows is dropped, at no cost; from
 * other parts the rows are deleted by a mutation. Parts are immutable, so that a decision about a part still holds when
 * it is dropped: new events of any month arrive in new parts.
 *
 * No report shows a day that is removed here (materialize/kept-days.ts), so none reads a half removed day. `revisions`
 * keeps the numbers of removed partitions, because later ones depend on them. `dirty_partitions` lists the partitions
 * and is cleared last: the next run repeats an interrupted one. The other tables are searched for expired rows
 * themselves, because they may hold rows without events.
 */
import { dayOf, latestDay } from "../../lib/time.ts";
import { MARGINS } from "../../materialize/margins.ts";
import { EngineBusy, EngineRefused } from "../failures.ts";
import type { KeptDays } from "../maintenance.ts";
import { readClock } from "./catalog.ts";
import { localTable } from "./cluster-ddl.ts";
import type { Clickhouse } from "./database.ts";
import type { Params } from "./params.ts";

interface Target {
  readonly clickhouse: Clickhouse;
  readonly params: Params;
  readonly signal: AbortSignal;
}

/** Table -> the column of its ClickHouse partition key; below: the day that is compared with the project's limit. */
const BY_MONTH = {
  events_rows: "dedupe_day",
  session_rows: "day",
  rollup_rows: "day",
  profile_day_rows: "day",
  profile_touch_rows: "day",
} as const;
/** A touch goes with the day of its session. */
const dayOfRow = (table: string) => (table === "profile_touch_rows" ? "seen_day" : "day");
const BY_ROW = {
  ledger_rows: "day",
  parked_rows: "toDate(received_at)",
  parked_pieces: "toDate(received_at)",
} as const;

/** ClickHouse's code for a missing part: a merge has replaced it. */
const NO_SUCH_PART = 232;

/** The second line follows from the third; by it ClickHouse can skip parts. */
const expired = (day: string) => `project_id IN {projects:Array(String)}
    AND ${day} < {before:Date}
    AND ${day} < transform(toString(project_id), {projects:Array(String)}, {first_days:Array(Date)}, toDate(0))`;

/** Partitions with recent marks wait for the next run: an insert may still be running. */
const SETTLED = "dirty_at < fromUnixTimestamp64Milli({settled_ms:Int64}, 'UTC')";
/** A writer marks today once (mark-dirty.ts): without its mark, no run would find what arrives in the rest of the day. */
const OVER = "day < {today:Date}";

/**
 * Resolves with the number of removed events. Events that cannot be counted within the query limits are removed
 * uncounted.
 */
export async function removeBefore(
  clickhouse: Clickhouse,
  limits: readonly KeptDays[],
  settleMs: number,
  signal: AbortSignal,
): Promise<number> {
  if (limits.length === 0) return 0;
  const firstDays = limits.map(({ firstDay }) => firstDay);
  const nowMs = await readClock(clickhouse, signal);
  const params = {
    projects: limits.map(({ projectId }) => projectId),
    first_days: firstDays,
    before: latestDay(firstDays),
    settled_ms: nowMs - settleMs,
    today: dayOf(nowMs - MARGINS.dayIsOverMs),
  };
  const target = { clickhouse, params, signal };
  let removed = 0;
  for (const [table, month] of Object.entries(BY_MONTH)) {
    const from =
      table === "events_rows"
        ? `dirty_partitions FINAL WHERE ${expired("day")} AND ${SETTLED}`
        : `${table} WHERE ${expired(dayOfRow(table))}`;
    const months = await select<{ month: number }>(target, `SELECT DISTINCT toYYYYMM(${month}) AS month FROM ${from}`);
    const count = await removeFromMonths(
      target,
      table,
      month,
      months.map((one) => one.month),
    );
    if (table === "events_rows") removed = count;
  }
  for (const [table, day] of Object.entries(BY_ROW)) await deleteRows(target, table, expired(day));
  await deleteRows(target, "dirty_partitions", `${expired("day")} AND ${SETTLED} AND ${OVER}`);
  return removed;
}

/**
 * ClickHouse's TTL removes them only when a part is merged, which may never happen. Resolves with the number of removed
 * rows.
 */
export async function removeParkedBefore(clickhouse: Clickhouse, day: string, signal: AbortSignal): Promise<number> {
  const target = { clickhouse, params: { before: day }, signal };
  await deleteRows(target, "parked_pieces", "toDate(received_at) < {before:Date}");
  return deleteRows(target, "parked_rows", "toDate(received_at) < {before:Date}");
}

async function removeFromMonths(
  target: Target,
  table: string,
  column: string,
  months: readonly number[],
): Promise<number> {
  if (months.length === 0) return 0;
  const inMonths = { ...target, params: { ...target.params, months } };
  const ofMonths = `toYYYYMM(${column}) IN {months:Array(UInt32)}`;
  // A month is a ClickHouse partition, and a part belongs to exactly one.
  const sql = `SELECT _part AS part, count() AS stored, countIf(${expired(dayOfRow(table))}) AS n_expired
FROM ${table} WHERE ${ofMonths} GROUP BY part HAVING n_expired > 0 ORDER BY part`;
  const parts = await unlessBusy(select<{ part: string; stored: number; n_expired: number }>(inMonths, sql));
  let hasRest = parts === undefined;
  for (const { part, stored, n_expired } of parts ?? [])
    if (stored !== n_expired || !(await dropPart(target, table, part))) hasRest = true;
  if (hasRest) await alter(inMonths, table, `DELETE WHERE ${expired(dayOfRow(table))} AND ${ofMonths}`);
  return (parts ?? []).reduce((sum, one) => sum + one.n_expired, 0);
}

/**
 * False when the part no longer exists. Also false on a cluster, where a part of another shard may have the same name.
 */
async function dropPart(target: Target, table: string, part: string): Promise<boolean> {
  if (target.clickhouse.cluster !== undefined) return false;
  try {
    await alter(target, table, `DROP PART '${part}'`);
    return true;
  } catch (cause) {
    if (cause instanceof EngineRefused && cause.code === NO_SUCH_PART) return false;
    throw cause;
  }
}

async function deleteRows(target: Target, table: string, where: string): Promise<number> {
  const found = await unlessBusy(select<{ n: number }>(target, `SELECT count() AS n FROM ${table} WHERE ${where}`));
  const count = found?.[0]?.n;
  if (count === 0) return 0;
  await alter(target, table, `DELETE WHERE ${where}`);
  return count ?? 0;
}

/** Undefined when the read exceeded a limit of time or memory: rows can be deleted without being counted. */
async function unlessBusy<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof EngineBusy) return undefined;
    throw cause;
  }
}

async function select<T>({ clickhouse, params, signal }: Target, sql: string): Promise<readonly T[]> {
  return (await clickhouse.select<T>(sql, { params, signal })).rows;
}

/** ALTER DELETE, because DELETE only hides rows until their part is merged, and parts of old months never are. */
async function alter({ clickhouse, params, signal }: Target, table: string, change: string): Promise<void> {
  const sql = `ALTER TABLE ${localTable(table, clickhouse.cluster)} ${change}`;
  await clickhouse.command(sql, { params, settings: { mutations_sync: 2 }, signal });
}

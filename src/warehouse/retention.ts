/**
 * Removes what projects no longer keep, by whole days of `timestamp`, as reports count them. A part of which nothing stays is dropped, at
 * no cost; where other projects or later days stay, the rows are deleted from the disk. A part never changes, so what was seen in it is
 * true when it is dropped: events that another project sends meanwhile, into a month however old, are in parts of their own.
 *
 * No report shows a day that is removed here (definitions/kept-days.ts), so none sees it half gone. The days that stay are reported as
 * before. A rollup counts a visitor on the first day of a window by when that visitor was seen before, and a day before the window counts
 * as never, whether it is still there or not. A window that reaches back beyond the first day a project keeps begins at that day (see
 * query/days.ts), for the same reason.
 *
 * `closed_days` keeps the names of removed builds: later ones rest on them, and would be open without. `event_days` says what there is,
 * and goes last: a run that was cut short is done again by the next one. Everything else is looked for in its own table, because it may be
 * there without events: a build may end after its day was removed, and a project may have nothing but parked events.
 */
import { readFileSync } from "node:fs";
import { LIMITS } from "../contract/limits.ts";
import { firstKeptDay, REMOVED_AFTER_MS } from "../definitions/kept-days.ts";
import { type AnalyticsEngine, EngineBusy, EngineRefused } from "../engines/analytics.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";
import { BUILT_TABLES } from "./build-day.ts";
import { SETTLE_S } from "./day-book.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command">;

export interface ProjectLimit {
  projectId: string;
  days: number;
}

export interface RetentionOptions {
  nowMs: number;
  cluster?: string | undefined;
  settleS?: number;
  /** Ends a run between two statements, and in the middle of one. */
  signal?: AbortSignal;
}

const readSql = (name: string) => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), "utf8");
const EXPIRED_MONTHS = readSql("expired_months");
const EXPIRED_PARTS = readSql("expired_parts");
const EXPIRED_ROWS = readSql("expired_rows").replace(/^--.*\n/, "");

/** Table -> the day of a row that its project's limit is compared with. */
const BY_ROW = {
  ledger: "day",
  parked_events: "toDate(received_at)",
} as const;

/** ClickHouse's code for a part that is not there, here because it was merged into another. */
const NO_SUCH_PART = 232;

type Params = Readonly<Record<string, unknown>>;

/** Gives the number of events that were removed; those that cannot be counted in time are removed uncounted. */
export async function removeExpiredEvents(
  engine: Engine,
  limits: readonly ProjectLimit[],
  options: RetentionOptions,
): Promise<number> {
  if (limits.length === 0) return 0;
  const firstDay = (days: number) => firstKeptDay(days, options.nowMs - REMOVED_AFTER_MS);
  const params = {
    projects: limits.map(({ projectId }) => projectId),
    first_days: limits.map(({ days }) => firstDay(days)),
    before: firstDay(limits.reduce((least, { days }) => Math.min(least, days), Number.POSITIVE_INFINITY)),
    settled: (options.nowMs - (options.settleS ?? SETTLE_S) * 1000) / 1000,
  };
  const target = { engine, params, options };
  const months = await select<{ month: number }>(target, EXPIRED_MONTHS);
  const removed = await removeFromMonths(target, "events", "toDate(timestamp)", months);
  for (const table of BUILT_TABLES) {
    const where = rowsOf("day");
    const found = `SELECT DISTINCT toYYYYMM(day) AS month FROM ${table} WHERE ${where}`;
    await removeFromMonths(target, table, "day", await select<{ month: number }>(target, found));
  }
  for (const [table, day] of Object.entries(BY_ROW)) await deleteRows(target, table, rowsOf(day));
  await deleteRows(target, "event_days", `${rowsOf("day")} AND touched_at < {settled:DateTime64(3, 'UTC')}`);
  return removed;
}

/** The engine's own TTL does the same with the next merge of a part, which may be never. Gives the number of rows removed. */
export async function removeOldParked(engine: Engine, options: RetentionOptions): Promise<number> {
  const params = { before: dayOf(options.nowMs - LIMITS.keptDays * DAY_MS) };
  return deleteRows({ engine, params, options }, "parked_events", "toDate(received_at) < {before:Date}");
}

interface Target {
  engine: Engine;
  params: Params;
  options: RetentionOptions;
}

async function removeFromMonths(
  target: Target,
  table: string,
  day: string,
  found: readonly { month: number }[],
): Promise<number> {
  if (found.length === 0) return 0;
  const inMonths = { ...target, params: { ...target.params, months: found.map(({ month }) => month) } };
  const where = rowsOf(day);
  const sql = EXPIRED_PARTS.replace("/*expired*/", where).replace("/*table*/", table);
  const parts = await unlessBusy(select<{ part: string; stored: number; expired: number }>(inMonths, sql));
  let rest = parts === undefined;
  for (const { part, stored, expired } of parts ?? []) {
    const dropped = stored === expired && (await dropPart(target, table, part));
    rest ||= !dropped;
  }
  if (rest) await alter(inMonths, table, `DELETE WHERE ${where} AND toYYYYMM(day) IN {months:Array(UInt32)}`);
  return (parts ?? []).reduce((sum, { expired }) => sum + expired, 0);
}

/** False when it is not there any more, or has to be told from a part of another shard that has the same name. */
async function dropPart(target: Target, table: string, part: string): Promise<boolean> {
  if (target.options.cluster !== undefined) return false;
  try {
    await alter(target, table, `DROP PART '${part}'`);
    return true;
  } catch (cause) {
    if (cause instanceof EngineRefused && cause.code === NO_SUCH_PART) return false;
    throw cause;
  }
}

async function deleteRows(target: Target, table: string, where: string): Promise<number> {
  const sql = `SELECT count() AS n FROM ${table} WHERE ${where}`;
  const found = (await unlessBusy(select<{ n: number }>(target, sql)))?.[0]?.n;
  if (found === 0) return 0;
  await alter(target, table, `DELETE WHERE ${where}`);
  return found ?? 0;
}

function rowsOf(day: string): string {
  return EXPIRED_ROWS.replaceAll("/*day*/", day).trim();
}

/** Undefined when reading met a limit of time or memory: what is not counted can be deleted all the same. */
async function unlessBusy<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof EngineBusy) return undefined;
    throw cause;
  }
}

async function select<T>({ engine, params, options }: Target, sql: string): Promise<readonly T[]> {
  return (await engine.selectJson<T>(sql, { params, ...signalOf(options) })).data;
}

/** ALTER DELETE rather than DELETE: that one only hides rows until their part is merged, and parts of old months never are. */
async function alter({ engine, params, options }: Target, table: string, change: string): Promise<void> {
  const settings = { mutations_sync: 2 };
  await engine.command(alterSql(table, change, options.cluster), { params, settings, ...signalOf(options) });
}

function alterSql(table: string, change: string, cluster: string | undefined): string {
  return `ALTER TABLE ${cluster === undefined ? table : `${table}_local ON CLUSTER '${cluster}'`} ${change}`;
}

function signalOf({ signal }: RetentionOptions): { signal?: AbortSignal } {
  signal?.throwIfAborted();
  return signal ? { signal } : {};
}

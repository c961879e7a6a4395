/**
 * Removes what projects no longer keep, by whole days of `timestamp`, as reports count them. A month in which nothing stays is dropped
 * as a partition, at no cost; where other projects or later days stay, the rows are deleted from the disk.
 *
 * The days that stay are reported as before. A rollup counts a visitor on the first day of a window by when that visitor was seen before,
 * and a day before the window counts as never, whether it is still there or not. A window that reaches back beyond the first day a
 * project still has begins at that day (see query/days.ts), for the same reason.
 *
 * `closed_days` keeps the names of removed builds: later ones rest on them, and would be open without. `event_days` says what there is,
 * and goes last: a run that was cut short is done again by the next one.
 */
import { readFileSync } from "node:fs";
import { LIMITS } from "../contract/limits.ts";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { DAY_MS, dayOf } from "../lib/time.ts";

type Engine = Pick<AnalyticsEngine, "selectJson" | "command">;

export interface ProjectLimit {
  projectId: string;
  days: number;
}

export interface RetentionOptions {
  nowMs: number;
  cluster?: string | undefined;
  settleS?: number;
}

/** Longer than an insert under way can take to land after its day was named (its timeout is 130 s). */
const SETTLE_S = 150;

const EXPIRED_DAYS = readFileSync(new URL("./sql/expired_days.sql", import.meta.url), "utf8");
const EXPIRED_ROWS = readFileSync(new URL("./sql/expired_rows.sql", import.meta.url), "utf8").replace(/^--.*\n/, "");

/** Table -> the day of a row that its project's limit is compared with. Partitioned ones lose whole months. */
const BY_MONTH = {
  events: { day: "toDate(timestamp)", month: "key_month" },
  sessions: { day: "day", month: "month" },
  revenue_events: { day: "day", month: "month" },
  chain_visitors: { day: "day", month: "month" },
  rollups: { day: "day", month: "month" },
} as const;
const BY_ROW = {
  // An event may lie an hour ahead of its receipt, so the minutes of receipt are kept a day longer.
  ledger: "toDate(minute) + 1",
  parked_events: "toDate(received_at)",
} as const;

interface Month {
  month: number;
  key_month: number;
  expired: number;
  kept: number;
}

type Params = Readonly<Record<string, unknown>>;

/** Gives the number of events that were removed. */
export async function removeExpiredEvents(
  engine: Engine,
  limits: readonly ProjectLimit[],
  options: RetentionOptions,
): Promise<number> {
  if (limits.length === 0) return 0;
  const settled = options.nowMs - (options.settleS ?? SETTLE_S) * 1000;
  const params = {
    projects: limits.map(({ projectId }) => projectId),
    first_days: limits.map(({ days }) => dayOf(Math.max(0, options.nowMs - days * DAY_MS))),
    settled: settled / 1000,
  };
  const { data: months } = await engine.selectJson<Month>(EXPIRED_DAYS, { params });
  if (!months.some(({ expired }) => expired > 0)) return 0;
  const removed = await countRows(engine, `events FINAL WHERE ${rowsOf("toDate(timestamp)")}`, params);
  for (const [table, { day, month }] of Object.entries(BY_MONTH)) {
    for (const one of emptiedMonths(months, month)) await dropMonth(engine, table, one, options.cluster);
    await deleteRows(engine, table, rowsOf(day), params, options.cluster);
  }
  for (const [table, day] of Object.entries(BY_ROW))
    await deleteRows(engine, table, rowsOf(day), params, options.cluster);
  const named = `${rowsOf("day")} AND touched_at < {settled:DateTime64(3, 'UTC')}`;
  await deleteRows(engine, "event_days", named, params, options.cluster);
  return removed;
}

/** The engine's own TTL does the same with the next merge of a part, which may be never. Gives the number of rows removed. */
export async function removeOldParked(engine: Engine, options: RetentionOptions): Promise<number> {
  const params = { before: dayOf(options.nowMs - LIMITS.keptDays * DAY_MS) };
  return deleteRows(engine, "parked_events", "toDate(received_at) < {before:Date}", params, options.cluster);
}

/**
 * Months in which nothing stays. Between the look and the drop lie milliseconds; an event that landed there and had to stay would
 * come from a clock that is wrong by the whole time its project keeps.
 */
function emptiedMonths(months: readonly Month[], by: "month" | "key_month"): number[] {
  const kept = new Set(months.filter((one) => one.kept > 0).map((one) => one[by]));
  return [...new Set(months.map((one) => one[by]))].filter((month) => !kept.has(month));
}

function rowsOf(day: string): string {
  return EXPIRED_ROWS.replace("/*day*/", day);
}

async function countRows(engine: Engine, from: string, params: Params): Promise<number> {
  const { data } = await engine.selectJson<{ n: number }>(`SELECT count() AS n FROM ${from}`, { params });
  return data[0]?.n ?? 0;
}

async function dropMonth(engine: Engine, table: string, month: number, cluster: string | undefined): Promise<void> {
  await engine.command(`ALTER TABLE ${localName(table, cluster)} DROP PARTITION ID '${month}'`);
}

/** ALTER DELETE rather than DELETE: that one only hides rows until their part is merged, and parts of old months never are. */
async function deleteRows(
  engine: Engine,
  table: string,
  where: string,
  params: Params,
  cluster: string | undefined,
): Promise<number> {
  const found = await countRows(engine, `${table} WHERE ${where}`, params);
  if (found === 0) return 0;
  const settings = { mutations_sync: 2 };
  await engine.command(`ALTER TABLE ${localName(table, cluster)} DELETE WHERE ${where}`, { params, settings });
  return found;
}

function localName(table: string, cluster: string | undefined): string {
  return cluster === undefined ? table : `${table}_local ON CLUSTER '${cluster}'`;
}

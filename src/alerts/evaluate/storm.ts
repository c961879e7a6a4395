/**
 * A storm: the first 25 matches within five minutes are told one by one, the others as one number when the five minutes
 * are over. Who was told of 500 within 24 hours is told numbers alone until these are over, and an hour is one of them.
 */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";

export const STORM_MS = ALERT_LIMITS.stormMinutes * MINUTE_MS;
export const LONG_STORM_MS = ALERT_LIMITS.longStormMinutes * MINUTE_MS;

export interface Storm {
  readonly atMs: number;
  readonly items: number;
  readonly more: number;
  /** Of the current 24 hours. */
  readonly dayAtMs: number;
  readonly dayItems: number;
}

/** On PostgreSQL a bigint that is returned by an update is a text. */
interface StormRow {
  readonly storm_at: number | string;
  readonly storm_items: number;
  readonly storm_more: number | string;
  readonly day_at: number | string;
  readonly day_items: number | string;
}

export function stormOf(row: StormRow): Storm {
  return {
    atMs: Number(row.storm_at),
    items: row.storm_items,
    more: Number(row.storm_more),
    dayAtMs: Number(row.day_at),
    dayItems: Number(row.day_items),
  };
}

/** A clock that was set back must not make a storm endless. */
export function isOver(storm: Storm, nowMs: number): boolean {
  const isSpent = storm.dayItems >= ALERT_LIMITS.itemsPerDay && !hasPassed(storm.dayAtMs, DAY_MS, nowMs);
  return hasPassed(storm.atMs, isSpent ? LONG_STORM_MS : STORM_MS, nowMs);
}

/** Splits new matches into those that are told by themselves and those that are counted. */
export function admit(storm: Storm, matches: number, nowMs: number): { storm: Storm; items: number } {
  const { atMs, items: before, more } = isOver(storm, nowMs) ? { atMs: nowMs, items: 0, more: 0 } : storm;
  const isNewDay = hasPassed(storm.dayAtMs, DAY_MS, nowMs);
  const { dayAtMs, dayItems } = isNewDay ? { dayAtMs: nowMs, dayItems: 0 } : storm;
  const room = Math.min(ALERT_LIMITS.items - before, ALERT_LIMITS.itemsPerDay - dayItems);
  const items = Math.min(matches, Math.max(0, room));
  return {
    items,
    storm: { atMs, items: before + items, more: more + matches - items, dayAtMs, dayItems: dayItems + items },
  };
}

function hasPassed(sinceMs: number, lengthMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= lengthMs || nowMs < sinceMs;
}

/** Spans of time in which figures are counted, in epoch milliseconds. The end is not included. */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import type { Buckets } from "../report/buckets.ts";
import type { Days } from "../report/window.ts";

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Spans of one width that end a period apart, the latest first. They do not lie over each other. */
export interface Comb {
  readonly endMs: number;
  readonly widthMs: number;
  /** At least the width. */
  readonly periodMs: number;
  readonly count: number;
}

/** Cells without gaps, and windows of some of them that end with each cell. */
export interface Grid {
  readonly fromMs: number;
  readonly cellMs: number;
  readonly cells: number;
  /** How many cells a window has. */
  readonly windowCells: number;
}

export function spansOf({ endMs, widthMs, periodMs, count }: Comb): Span[] {
  return Array.from({ length: count }, (_, nth) => {
    const toMs = endMs - nth * periodMs;
    return { fromMs: toMs - widthMs, toMs };
  });
}

export function daysOf({ fromMs, toMs }: Span): Days {
  return { firstDay: dayOf(fromMs), lastDay: dayOf(toMs - 1) };
}

/** The nth bucket is the nth span of the comb. */
export function bucketsOfComb(comb: Comb): Buckets {
  const { endMs, widthMs, periodMs, count } = comb;
  const age = (ms: string) => `({end_ms:Int64} - 1 - ${ms})`;
  return {
    count,
    type: "DateTime",
    dateOf: (nth) => new Date(endMs - nth * periodMs).toISOString(),
    ofDay: refuseDay,
    ofTime: (_day, ms) => `intDiv(${age(ms)}, {period_ms:Int64})`,
    holds: (ms) =>
      `${age(ms)} >= 0 AND intDiv(${age(ms)}, {period_ms:Int64}) < {spans:Int64} AND ${age(ms)} % {period_ms:Int64} < {width_ms:Int64}`,
    days: [...new Set(spansOf(comb).flatMap(listDays))],
    params: { end_ms: endMs, period_ms: periodMs, width_ms: widthMs, spans: count },
  };
}

/** The buckets are the cells, from 1. */
export function bucketsOfGrid({ fromMs, cellMs, cells }: Grid): Buckets {
  const since = (ms: string) => `(${ms} - {from_ms:Int64})`;
  return {
    count: cells,
    type: "DateTime",
    dateOf: (nth) => new Date(fromMs + nth * cellMs).toISOString(),
    ofDay: refuseDay,
    ofTime: (_day, ms) => `intDiv(${since(ms)}, {cell_ms:Int64}) + 1`,
    holds: (ms) => `${ms} >= {from_ms:Int64} AND ${ms} < {to_ms:Int64}`,
    params: { from_ms: fromMs, cell_ms: cellMs, to_ms: fromMs + cells * cellMs },
  };
}

function refuseDay(): never {
  throw new Error("a day has no time");
}

function listDays({ fromMs, toMs }: Span): string[] {
  const first = Math.floor(fromMs / DAY_MS);
  const last = Math.floor((toMs - 1) / DAY_MS);
  return Array.from({ length: last - first + 1 }, (_, nth) => dayOf((first + nth) * DAY_MS));
}

/** Spans of time in which figures are counted, in epoch milliseconds. The end is not included. */
import { DAY_MS, dayOf } from "../../lib/time.ts";
import { collectInSlices, eachInSlices } from "../../lib/time-slices.ts";
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

/** The comb that these spans are, the latest first; undefined where they are not alike. */
export function findComb(spans: readonly Span[]): Comb | undefined {
  const [first, second] = spans;
  if (first === undefined) return undefined;
  const widthMs = first.toMs - first.fromMs;
  const periodMs = second === undefined ? widthMs : first.toMs - second.toMs;
  const comb = { endMs: first.toMs, widthMs, periodMs, count: spans.length };
  const isAlike = spansOf(comb).every(
    ({ fromMs, toMs }, nth) => spans[nth]?.fromMs === fromMs && spans[nth]?.toMs === toMs,
  );
  return isAlike && periodMs >= widthMs && widthMs > 0 ? comb : undefined;
}

/**
 * A grid for spans that may lie over each other, in any order, and which of its cells each of them is: that of the window
 * that it is, or, where they are not equally long, the cells that it has.
 */
export async function cellsOf(spans: readonly Span[]): Promise<{ grid: Grid; places: Place[] }> {
  let [fromMs, endMs, cellMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const widths = new Set<number>();
  const origin = spans[0]?.fromMs ?? 0;
  // A preview has 25,000 of them.
  await eachInSlices(spans, (span) => {
    [fromMs, endMs] = [Math.min(fromMs, span.fromMs), Math.max(endMs, span.toMs)];
    cellMs = commonDivisor(commonDivisor(cellMs, Math.abs(span.fromMs - origin)), Math.abs(span.toMs - origin));
    widths.add(span.toMs - span.fromMs);
  });
  const [width = cellMs, ...others] = widths;
  const windowCells = others.length > 0 ? 1 : width / cellMs;
  const placeOf = (span: Span): Place => {
    const last = (span.toMs - fromMs) / cellMs - 1;
    return { first: others.length > 0 ? (span.fromMs - fromMs) / cellMs : last, last };
  };
  const grid = { fromMs, cellMs, cells: (endMs - fromMs) / cellMs, windowCells };
  return { grid, places: await collectInSlices(spans.values().map(placeOf)) };
}

/** The first and the last of the cells of a span, from 0. */
export interface Place {
  readonly first: number;
  readonly last: number;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
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

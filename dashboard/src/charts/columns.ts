/** Any rows as series: one column is the place, others the numbers, and another may tell the series apart. */
import { axisText, bucketMs, bucketText } from "../format/dates.ts";
import { countDays, toDay } from "../format/days.ts";
import { seenText } from "../format/names.ts";
import type { Asked } from "../format/range.ts";
import { type AnyRow, cellText } from "./any-row.ts";
import type { Series, SeriesPlace } from "./drawings.ts";
import { type TimeAxis, timeAxis } from "./time-axis.ts";

/** As a board stores them. */
export interface Columns {
  /** The column of the days or names. */
  x_axis?: string | undefined;
  /** The columns of the numbers. */
  y_axis?: readonly string[] | undefined;
  /** The column whose values are series of their own. */
  group_by?: string | undefined;
}

/** More colours cannot be told apart. */
export const MOST_SERIES = 8;
export const OTHERS = "Others";

export function columnNames(rows: readonly AnyRow[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

/** Integers beyond 2^53 come as texts; shorter digits in a text are a name, such as the id of a chain. */
export function isNumber(cell: unknown): boolean {
  return typeof cell === "number" || (typeof cell === "string" && /^-?\d{16,}$/.test(cell));
}

/** Columns with numbers only, and at least one. */
export function numberColumns(rows: readonly AnyRow[]): string[] {
  return columnNames(rows).filter(
    (name) => rows.every((row) => row[name] == null || isNumber(row[name])) && rows.some((row) => row[name] != null),
  );
}

/** The number of a cell; null where it has none. A column that was chosen may have its numbers as texts. */
export function numberOf(cell: unknown): number | null {
  const value = typeof cell === "string" && cell.trim() !== "" ? Number(cell) : cell;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A cell as the name of a place or a series. */
export function nameOf(cell: unknown): string {
  return seenText(cellText(cell)) || "(none)";
}

const TIME = /^\d{4}-\d{2}-\d{2}([T ]|$)/;

function isTime(cell: unknown): boolean {
  return typeof cell === "string" && TIME.test(cell) && !Number.isNaN(bucketMs(cell));
}

/** The columns that rows allow: days before names on the axis, and a second name tells series of equal places apart. */
export function guessColumns(rows: readonly AnyRow[]): Columns {
  const numbers = numberColumns(rows);
  const names = columnNames(rows).filter((name) => !numbers.includes(name));
  const x =
    names.find((name) => rows.every((row) => isTime(row[name]))) ??
    names.find((name) => rows.every((row) => typeof row[name] === "string")) ??
    (numbers.length > 1 ? numbers[0] : undefined);
  const [y] = numbers.filter((name) => name !== x);
  const isRepeated = x !== undefined && new Set(rows.map((row) => row[x])).size < rows.length;
  const group = isRepeated ? names.find((name) => name !== x && !rows.every((row) => isTime(row[name]))) : undefined;
  return { x_axis: x, y_axis: y === undefined ? [] : [y], group_by: group };
}

export interface ReadSeries {
  places: readonly SeriesPlace[];
  series: readonly Series[];
  /** The places are days or times, in their order. */
  isTimed: boolean;
  /** Where the places are all buckets of the days that were asked for: their step and starts. */
  axis?: TimeAxis;
  /** As many columns or groups have no colour left. */
  left: number;
}

export interface Reading {
  /** The days that the rows answer: a place for each of their buckets. */
  asked?: Asked;
  /** Its numbers are shares or averages, which cannot be added up. */
  isRate?: boolean | undefined;
}

/** A row is a place of its own; with groups, the rows of one place are. */
export function readSeries(given: readonly AnyRow[], columns: Columns, reading: Reading = {}): ReadSeries {
  const { x_axis: x = "", y_axis = [], group_by } = columns;
  const isTimed = given.length > 0 && given.every((row) => isTime(row[x]));
  const isCounted = given.every((row) => typeof row[x] === "number");
  const rows = isTimed || isCounted ? [...given].sort((one, other) => compareCells(one[x], other[x])) : given;
  const cells = rows.map((row) => row[x]);
  const distinct = [...new Set(cells)];
  const isOwnPlace = group_by !== undefined || distinct.length === cells.length;
  const axis = isTimed && isOwnPlace ? timeAxis(cells, reading.asked ?? {}) : undefined;
  const filled = axis === undefined ? {} : { axis };
  if (group_by === undefined) {
    const series = y_axis.slice(0, MOST_SERIES).map((name) => ({ name, values: valuesOf(rows, x, name, axis) }));
    const places = axis === undefined ? placesOf(cells, isTimed) : bucketPlaces(axis);
    return { places, series, isTimed, ...filled, left: Math.max(0, y_axis.length - MOST_SERIES) };
  }
  const order = new Map(distinct.map((place, index) => [place, index]));
  const indexOf = axis?.indexOf ?? ((cell: unknown) => order.get(cell) ?? 0);
  const count = axis?.starts.length ?? distinct.length;
  const groups = readGroups(rows, { ...columns, group_by }, { ...reading, indexOf, count });
  const series = reading.isRate ? largest(groups) : foldSmall(groups);
  const places = axis === undefined ? placesOf(distinct, isTimed) : bucketPlaces(axis);
  return { places, series, isTimed, ...filled, left: reading.isRate ? groups.length - series.length : 0 };
}

function valuesOf(rows: readonly AnyRow[], x: string, name: string, axis: TimeAxis | undefined): (number | null)[] {
  if (axis === undefined) return rows.map((row) => numberOf(row[name]));
  const values = axis.starts.map((): number | null => null);
  for (const row of rows) values[axis.indexOf(row[x])] = numberOf(row[name]);
  return values;
}

interface Places extends Reading {
  indexOf: (cell: unknown) => number;
  count: number;
}

function readGroups(
  rows: readonly AnyRow[],
  { x_axis: x = "", y_axis: [y = ""] = [], group_by }: Columns & { group_by: string },
  { indexOf, count, isRate }: Places,
): Series[] {
  const groups = new Map<string, (number | null)[]>();
  const seen = new Set<string>();
  for (const row of rows) {
    const name = nameOf(row[group_by]);
    const values = groups.get(name) ?? Array.from({ length: count }, () => null);
    groups.set(name, values);
    const [index, value] = [indexOf(row[x]), numberOf(row[y])];
    const isSecond = seen.has(`${index} ${name}`);
    seen.add(`${index} ${name}`);
    // Nobody knows how many visits each of two shares is of.
    if (isRate && isSecond) values[index] = null;
    else if (value !== null) values[index] = (values[index] ?? 0) + value;
  }
  return [...groups].map(([name, values]) => ({ name, values }));
}

function compareCells(one: unknown, other: unknown): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  const [first, second] = [cellText(one), cellText(other)];
  return first < second ? -1 : first > second ? 1 : 0;
}

const DAY_MS = 86_400_000;

function placesOf(cells: readonly unknown[], isTimed: boolean): SeriesPlace[] {
  if (!isTimed) return cells.map((cell) => ({ label: nameOf(cell), axis: shortName(nameOf(cell)) }));
  const times = cells.map((cell) => bucketMs(cellText(cell)));
  const days = times.length === 0 ? 0 : (Math.max(...times) - Math.min(...times)) / DAY_MS;
  return cells.map((cell, index) => {
    const [text, ms] = [cellText(cell), times[index] ?? 0];
    const hasTime = text.length > 10;
    return {
      label: hasTime ? text : bucketText(ms, "day"),
      axis: axisText(ms, hasTime && days <= 2 ? "hour" : "day", days),
    };
  });
}

function bucketPlaces({ starts, interval }: TimeAxis): SeriesPlace[] {
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const days = countDays(toDay(first), toDay(last));
  return starts.map((start) => ({ label: bucketText(start, interval), axis: axisText(start, interval, days) }));
}

const AXIS_LETTERS = 12;

function shortName(name: string): string {
  const letters = Array.from(name);
  return letters.length > AXIS_LETTERS ? `${letters.slice(0, AXIS_LETTERS - 1).join("")}…` : name;
}

export const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** The largest in the order they came; the others are left out. */
function largest(series: readonly Series[]): Series[] {
  const bySize = [...series].sort((one, other) => sumOf(other.values) - sumOf(one.values));
  const kept = new Set(bySize.slice(0, MOST_SERIES));
  return series.filter((one) => kept.has(one));
}

/** One more or one less of the chosen columns; at least one stays. */
export function toggled(chosen: readonly string[], name: string): readonly string[] {
  if (!chosen.includes(name)) return [...chosen, name];
  return chosen.length === 1 ? chosen : chosen.filter((one) => one !== name);
}

/** The largest by themselves in the order they came, and the others as one: also those that came as one. */
export function foldSmall(series: readonly Series[]): Series[] {
  if (series.length <= MOST_SERIES) return [...series];
  const bySize = series
    .filter(({ name }) => name !== OTHERS)
    .sort((one, other) => sumOf(other.values) - sumOf(one.values));
  const kept = new Set(bySize.slice(0, MOST_SERIES - 1));
  const rest = series.filter((one) => !kept.has(one));
  const others = (rest[0]?.values ?? []).map((_, index) => {
    const known = rest.flatMap(({ values }) => values[index] ?? []);
    return known.length === 0 ? null : sumOf(known);
  });
  return [...series.filter((one) => kept.has(one)), { name: OTHERS, values: others }];
}

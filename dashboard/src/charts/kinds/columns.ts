/** Charts of any rows, such as those of SQL: see `columns.ts`. */
import type { Format } from "../../format/numbers.ts";
import type { TableData } from "../../format/table.ts";
import type { AnyRow } from "../any-row.ts";
import {
  type Columns,
  columnNames,
  isNumber,
  MOST_SERIES,
  nameOf,
  numberOf,
  OTHERS,
  type ReadSeries,
  readSeries,
} from "../columns.ts";
import type { BarChartProps, NumberCardProps, PieChartProps, SeriesChartProps, TableProps } from "../drawings.ts";
import { type ChartContext, type ChartKind, VIEW } from "./kind.ts";

export interface ColumnsLook extends Columns {
  format?: Format;
  height?: number;
  /** The table has a column for each group. */
  isWide?: boolean;
  /** The number of a place that has none; not of times that are still to come. */
  absent?: number;
  /** Its numbers are shares or averages, which cannot be added up. */
  isRate?: boolean;
}

type AnyKind<Drawing> = ChartKind<AnyRow, Drawing, ColumnsLook>;

/** A row for each place, and a column for each group. */
function wideTable(rows: readonly AnyRow[], context: ChartContext<ColumnsLook>): TableData {
  const { x_axis = "", format = "number" } = context.look;
  const { places, series } = readLook(rows, context);
  return {
    columns: [
      { key: "place", label: x_axis },
      ...series.map(({ name }, nth) => ({ key: `group_${nth}`, label: name, format })),
    ],
    rows: places.map(({ label }, index) => ({
      place: label,
      ...Object.fromEntries(series.map(({ values }, nth) => [`group_${nth}`, values[index] ?? null])),
    })),
  };
}

function readLook(rows: readonly AnyRow[], { look, asked, nowMs }: ChartContext<ColumnsLook>): ReadSeries {
  const { absent, isRate } = look;
  const read = readSeries(rows, look, { asked, isRate });
  if (absent === undefined) return read;
  const isOver = (index: number) => (read.axis?.starts[index] ?? 0) <= nowMs;
  const series = read.series.map(({ values, ...one }) => ({
    ...one,
    values: values.map((value, index) => value ?? (isOver(index) ? absent : null)),
  }));
  return { ...read, series };
}

/** The columns of the drawing, as they came. */
function drawnTable(rows: readonly AnyRow[], context: ChartContext<ColumnsLook>): TableData {
  const { x_axis, y_axis = [], group_by, format = "number", isWide } = context.look;
  if (isWide && group_by !== undefined) return wideTable(rows, context);
  const names = [x_axis, group_by].filter((name) => name !== undefined);
  return {
    columns: [
      ...names.map((key) => ({ key, label: key })),
      ...y_axis.filter((key) => !names.includes(key)).map((key) => ({ key, label: key, format })),
    ],
    rows,
  };
}

function wholeTable(rows: readonly AnyRow[]): TableData {
  return {
    columns: columnNames(rows).map((key) => ({
      key,
      label: key,
      isRaw: rows.every((row) => row[key] === null || isNumber(row[key])),
    })),
    rows,
  };
}

const isEmpty = (rows: readonly AnyRow[]) => rows.length === 0;

function labelOf({ x_axis = "", y_axis = [], group_by }: Columns): string {
  return `${y_axis.join(", ")} by ${x_axis}${group_by === undefined ? "" : ` and ${group_by}`}`;
}

/** What a drawing along an axis has of its rows. */
function seriesOf({ places, series, left, axis }: ReadSeries, look: ColumnsLook) {
  const { format = "number", height = 220, group_by, isWide } = look;
  return {
    label: labelOf(look),
    places,
    series,
    left,
    leftName: group_by === undefined ? ("column" as const) : ("group" as const),
    format,
    height,
    // The buckets of other days stand beside these, one by one.
    ...(axis === undefined ? {} : { filledBy: axis.interval }),
    // Of compared segments one may have no rows: whose the others are is said all the same.
    ...(isWide ? { hasLegend: true } : {}),
  };
}

const seriesKind = (
  shape: SeriesChartProps["shape"],
  isStacked: (look: ColumnsLook) => boolean,
): AnyKind<SeriesChartProps> => ({
  needs: VIEW,
  drawing: (rows, context) => {
    const { look } = context;
    return { ...seriesOf(readLook(rows, context), look), shape, isStacked: isStacked(look) };
  },
  table: drawnTable,
  isEmpty,
  skeleton: "chart-skeleton",
});

/** Numbers along an axis, a line each. */
export const LINE_KIND = seriesKind("line", () => false);

/** The same with the ground filled; groups of one number stand on each other. */
export const AREA_KIND = seriesKind("area", ({ group_by }) => group_by !== undefined);

/** A bar for each place, whose parts are the groups. */
export const STACKED_KIND = seriesKind("bar", () => true);

/** More rows have no room; the table has all of them. */
const MOST_BARS = 30;

/** One number by name is a list by size of what came; anything else is bars along an axis. */
export const BAR_KIND: AnyKind<BarChartProps> = {
  needs: VIEW,
  drawing: (rows, context) => {
    const { look } = context;
    const read = readLook(rows, context);
    const { isTimed, places, series } = read;
    const [first] = series;
    if (isTimed || series.length !== 1 || first === undefined || look.group_by !== undefined)
      return { ...seriesOf(read, look), shape: "bar", isStacked: false };
    return {
      format: formatOf(look),
      left: Math.max(0, places.length - MOST_BARS),
      rows: places.slice(0, MOST_BARS).map(({ label }, index) => ({
        key: `${index} ${label}`,
        name: label,
        value: first.values[index] ?? null,
      })),
    };
  },
  table: drawnTable,
  isEmpty,
  skeleton: "chart-skeleton",
};

const formatOf = ({ format = "number" }: ColumnsLook) => format;

/** Parts of a whole, the largest first; what is less than nothing is no part of it. */
export const PIE_KIND: AnyKind<PieChartProps> = {
  needs: VIEW,
  drawing: (rows, { look }) => {
    const { x_axis = "", y_axis: [y = ""] = [], isRate = false } = look;
    const sums = new Map<string, number>();
    for (const row of rows) {
      const name = nameOf(row[x_axis]);
      sums.set(name, (sums.get(name) ?? 0) + Math.max(0, numberOf(row[y]) ?? 0));
    }
    const bySize = [...sums].map(([name, value]) => ({ name, value })).sort((one, other) => other.value - one.value);
    const label = labelOf({ ...look, group_by: undefined });
    if (isRate || bySize.length <= MOST_SERIES) {
      const slices = bySize.slice(0, MOST_SERIES);
      return { label, slices, left: bySize.length - slices.length, format: formatOf(look) };
    }
    const kept = bySize.filter(({ name }) => name !== OTHERS).slice(0, MOST_SERIES - 1);
    const rest = bySize.filter((slice) => !kept.includes(slice));
    const others = { name: OTHERS, value: rest.reduce((sum, { value }) => sum + value, 0) };
    return { label, slices: [...kept, others], left: 0, format: formatOf(look) };
  },
  table: drawnTable,
  isEmpty,
  skeleton: "chart-skeleton",
};

/** The one cell of an answer. */
export const NUMBER_KIND: AnyKind<NumberCardProps> = {
  needs: VIEW,
  drawing: ([row = {}], { look }) => {
    const name = look.y_axis?.[0] ?? Object.keys(row)[0] ?? "";
    const cell = row[name];
    // A number that is no number of this page, such as one beyond 2^53, is shown as it is.
    const value = typeof cell === "number" ? cell : cell === null || cell === undefined ? null : nameOf(cell);
    return { name, value, format: formatOf(look) };
  },
  table: wholeTable,
  isEmpty,
  skeleton: 1,
};

/** All columns and rows as they are. */
export const TABLE_KIND: AnyKind<TableProps> = {
  needs: VIEW,
  drawing: (rows) => ({ table: wholeTable(rows), label: "Rows" }),
  table: wholeTable,
  isEmpty,
  skeleton: 8,
};

/** The charts that any rows can be drawn as, and what each needs: the same rules by which a board saves a chart. */
import type { AnyRow } from "./any-row.ts";
import { type Columns, columnNames, guessColumns } from "./columns.ts";

export const COLUMN_CHARTS = {
  table: "Table",
  number: "Number",
  bar: "Bars",
  line: "Lines",
  area: "Areas",
  pie: "Pie",
  stacked: "Stacked bars",
} as const;
export type ColumnChart = keyof typeof COLUMN_CHARTS;
export const COLUMN_CHART_NAMES = Object.keys(COLUMN_CHARTS) as readonly ColumnChart[];

/** Whether it takes several columns of numbers, and whether it takes groups. */
export const TAKES: Readonly<Record<ColumnChart, { axes: boolean; several: boolean; groups: boolean }>> = {
  table: { axes: false, several: false, groups: false },
  number: { axes: false, several: false, groups: false },
  bar: { axes: true, several: true, groups: true },
  line: { axes: true, several: true, groups: true },
  area: { axes: true, several: true, groups: true },
  pie: { axes: true, several: false, groups: false },
  stacked: { axes: true, several: false, groups: true },
};

/** The columns that a chart takes of those that were chosen. The column of the places has no groups: each has one. */
export function takenColumns(type: ColumnChart, { x_axis, y_axis = [], group_by }: Columns): Columns {
  const { axes, several, groups } = TAKES[type];
  if (!axes) return {};
  const group = groups && group_by !== x_axis ? group_by : undefined;
  return { x_axis, y_axis: several && group === undefined ? y_axis : y_axis.slice(0, 1), group_by: group };
}

/** The columns that were chosen, as far as the rows have them, and otherwise those that they allow. `null`: no group. */
export function chosenColumns(
  rows: readonly AnyRow[],
  { x_axis, y_axis = [], group_by }: Omit<Columns, "group_by"> & { group_by?: string | null | undefined },
): Columns & { isGuessed: boolean } {
  const names = columnNames(rows);
  // Without rows nothing is known better.
  const known = (name: string | undefined) =>
    name !== undefined && (rows.length === 0 || names.includes(name)) ? name : undefined;
  const guessed = guessColumns(rows);
  const numbers = y_axis.filter((name) => known(name) !== undefined);
  return {
    x_axis: known(x_axis) ?? guessed.x_axis,
    y_axis: numbers.length > 0 ? numbers : guessed.y_axis,
    group_by: group_by === null ? undefined : (known(group_by) ?? guessed.group_by),
    isGuessed: numbers.length === 0,
  };
}

/** Why rows cannot be drawn so; undefined where they can. */
export function whyNot(type: ColumnChart, rows: readonly AnyRow[], columns: Columns): string | undefined {
  if (type === "table") return undefined;
  const names = columnNames(rows);
  if (type === "number")
    return rows.length === 1 && names.length === 1 ? undefined : "A number needs one row with one column.";
  const { x_axis, y_axis = [], group_by } = columns;
  const has = (name: string | undefined) => name !== undefined && names.includes(name);
  if (!has(x_axis)) return "Choose a column for the places: days or names.";
  if (y_axis.length === 0 || !y_axis.every(has)) return "Choose a column of numbers.";
  if (type === "stacked" && !has(group_by)) return "Choose a column to group by: its values are the parts of the bars.";
  return group_by === undefined || has(group_by) ? undefined : "Choose a column of these rows to group by.";
}

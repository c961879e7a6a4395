/** Rows by the values of a column: how each is named, and what a filter by it compares with. */
import { pageName, valueName } from "../format/names.ts";
import { type AnyRow, cellText } from "./any-row.ts";
import type { RankedRow } from "./drawings.ts";

export interface ValueColumn {
  /** The column of the values, which also names how a value is shown. */
  column: string;
  /** The field of filters that a value is compared with; without it, rows cannot be filtered by. */
  filter?: string | undefined;
}

export interface ValueRow<R extends AnyRow = AnyRow> extends RankedRow {
  row: R;
}

/** The largest number of the measure first. */
export function valueRows<R extends AnyRow>(rows: readonly R[], by: ValueColumn, measure: string): ValueRow<R>[] {
  const severalSites = new Set(rows.map((row) => row.origin)).size > 1;
  return rows
    .map((row) => {
      const value = row[measure];
      return { ...nameOf(by, row, severalSites), value: typeof value === "number" ? value : null, row };
    })
    .sort((one, other) => compareValues(one.value, other.value, "desc"));
}

/** Rows without the number come last, in either order. */
export function compareValues(one: number | null, other: number | null, order: "asc" | "desc"): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return order === "asc" ? one - other : other - one;
}

function nameOf(
  { column, filter: field }: ValueColumn,
  row: AnyRow,
  severalSites: boolean,
): Pick<RankedRow, "key" | "name" | "filter"> {
  const value = cellText(row[column]);
  if (column === "pathname" && typeof row.origin === "string") {
    const name = pageName(row.origin, value, severalSites);
    return { key: `${row.origin} ${value}`, name, filter: field === undefined ? undefined : { field, value } };
  }
  if (column === "event" && typeof row.type === "string") {
    const custom = value !== "";
    const name = custom ? value : valueName("type", row.type);
    return {
      key: `${row.type} ${value}`,
      name,
      filter: custom ? { field: "event", value } : { field: "type", value: row.type },
    };
  }
  return { key: value, name: valueName(column, value), filter: field === undefined ? undefined : { field, value } };
}

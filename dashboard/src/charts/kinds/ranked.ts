/** The values of a column by size, as a list or on the map: of any report with a row for each value. */
import type { Format } from "../../format/numbers.ts";
import type { TableData } from "../../format/table.ts";
import type { AnyRow } from "../any-row.ts";
import type { MapProps, RankedRow } from "../drawings.ts";
import { type ValueColumn, valueRows } from "../value-rows.ts";
import { type ChartContext, type ChartKind, VIEW } from "./kind.ts";

export interface RankedLook extends ValueColumn {
  /** What the values are, such as "Channels". */
  name: string;
  /** The column of the numbers, and what it is called. */
  measure: string;
  label: string;
  format: Format;
}

const rowsOf = (rows: readonly AnyRow[], { look }: ChartContext<RankedLook>) => valueRows(rows, look, look.measure);

function table(rows: readonly AnyRow[], context: ChartContext<RankedLook>): TableData {
  const { name, label, format } = context.look;
  return {
    columns: [
      { key: "name", label: name },
      { key: "value", label, format },
    ],
    // With its other columns, for a page that adds some to the table.
    rows: rowsOf(rows, context).map((row) => ({ ...row.row, name: row.name, value: row.value })),
  };
}

const isEmpty = (rows: readonly AnyRow[]) => rows.length === 0;

export const RANKED_KIND: ChartKind<AnyRow, { rows: readonly RankedRow[]; format: Format }, RankedLook> = {
  needs: VIEW,
  drawing: (rows, context) => ({ rows: rowsOf(rows, context), format: context.look.format }),
  table,
  isEmpty,
  skeleton: 8,
};

/** Countries: the column has their two letters. */
export const MAP_KIND: ChartKind<AnyRow, MapProps, RankedLook> = {
  needs: VIEW,
  drawing: (rows, context) => ({
    values: new Map(rowsOf(rows, context).map(({ key, value }) => [key, value ?? 0])),
    format: context.look.format,
  }),
  table,
  isEmpty,
  skeleton: 8,
};

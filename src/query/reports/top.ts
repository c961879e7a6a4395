/** Reports that list the values of one column with their measures. */
import type { Cte } from "../../engines/relations.ts";
import { type Column, defineReport, type Report, type ReportContext, type ReportStatement } from "../report/report.ts";

export type Measure = Column & { readonly type: "UInt64" | "Float64" };

export const HITS: Measure = { name: "hits", type: "UInt64" };
export const SESSIONS: Measure = { name: "sessions", type: "UInt64" };
export const VISITORS: Measure = { name: "visitors", type: "UInt64" };

export interface TopReport {
  /** The allowed values of `metric_column`. */
  readonly columns: readonly string[];
  readonly defaultColumn?: string;
  /** The last measure is the first sort key, the one before it the second, and so on: add a new one before the last. */
  readonly measures: readonly Measure[];
  /** The columns of which imported days are added. */
  readonly imported?: readonly string[];
  /** The last CTE is `counts`: project_id, value and the measures. */
  plan(column: string, context: ReportContext): { ctes: readonly Cte[]; params: ReportStatement["params"] };
}

/** A report by `metric_column`. The value column has its name; an unknown one gives no rows. */
export function defineTop({ columns, defaultColumn = "", measures, imported = [], plan }: TopReport): Report {
  return defineReport<string>({
    read: ({ metric_column }) => metric_column ?? defaultColumn,
    plan(column, context) {
      const isKnown = columns.includes(column);
      const statement = isKnown ? plan(column, context) : { ctes: [], params: {} };
      return {
        ...statement,
        columns: [
          { name: "project_id", type: "String" },
          { name: isKnown ? column : "metric_value", type: "String", from: "value" },
          ...measures,
        ],
        order: orderOf(measures, ["value"]),
        page: context,
        addsImported: imported.includes(column),
      };
    },
  });
}

/** Which values are listed: of `paid_source` only paid ones. */
export function keptValues(column: string): string {
  return column === "paid_source" ? "value != ''" : "1 = 1";
}

/** By the last measure first, then by value and project. */
export function orderOf(measures: readonly Measure[], values: readonly string[]): string[] {
  return [...measures.toReversed().map(({ name, from }) => `${from ?? name} DESC`), ...values, "project_id"];
}

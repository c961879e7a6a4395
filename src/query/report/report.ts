/** What a report is: its own parameters, the days that it reads, and the plan of its statement. */
import type { ReportQuery } from "../../contract/analytics.ts";
import type { Cte } from "../../engines/relations.ts";
import type { Failures, Filters } from "../filters/filters.ts";
import type { DaysOfImport } from "./imported.ts";
import type { Days } from "./window.ts";

/** The type that the answer states, independent of the engine's. */
export type ColumnType =
  | "String"
  | "Date"
  | "UInt8"
  | "UInt32"
  | "UInt64"
  | "Int64"
  | "Float32"
  | "Float64"
  | "Nullable(Float64)";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Its name in the last CTE, where it differs. */
  readonly from?: string;
}

/** What every report is planned with. */
export interface ReportContext extends Filters {
  /** All projects of the question, also those that keep none of its days. */
  readonly projects: readonly string[];
  readonly window: Days;
  /** False for a window of days that no engine can store: `window` is then a day without events. */
  readonly hasDays: boolean;
  readonly pageScope: "page" | "session";
  /** True if some projects exclude bots: those in the parameter `without_bots`. */
  readonly leavesBotsOut: boolean;
  readonly nowMs: number;
  /** The time zone of all days. */
  readonly zone: string;
  readonly limit: number;
  readonly offset: number;
  /** Imports of days that may be added: none where something is filtered. */
  readonly imported: readonly DaysOfImport[];
}

export type Value = string | number | null | readonly Value[];
export type Row = Readonly<Record<string, Value>>;

/** The planned statement of a report. The last CTE is `counts`, the result. */
export interface ReportStatement {
  /**
   * None: the answer has no rows and is not an error. They may use the parameters `projects`, `first_day`, `last_day`
   * (the window) and `without_bots`, and the relations of the engine.
   */
  readonly ctes: readonly Cte[];
  /** The same result for an engine that computes a CTE again for each of its readers, where `ctes` have many. */
  readonly unshared?: readonly Cte[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly columns: readonly Column[];
  /** Terms of ORDER BY that make every row's place certain. */
  readonly order: readonly string[];
  /** True if imported days are added, where there are any. */
  readonly addsImported?: boolean;
  /** Undefined: all rows, of which there are few. */
  readonly page?: { readonly limit: number; readonly offset: number };
  /** Makes the rows of the answer from those of `counts`, where SQL cannot; `columns` describe the rows of `counts`. */
  readonly finish?: {
    readonly meta: readonly { readonly name: string; readonly type: string }[];
    /** `compared` are the rows of the days to compare with, if there are any. */
    rows(counted: readonly Row[], compared: readonly Row[]): Iterable<Row>;
  };
  /** Other days to compare with. Their statement runs after that of the window and knows its rows. */
  readonly compared?: {
    readonly window: Days;
    plan(counted: readonly Row[]): Pick<ReportStatement, "ctes" | "params">;
  };
}

export interface Report<Own = unknown> {
  /**
   * Reads the report's own parameters, beyond what their schema says, and adds failures. Types may be wrong here:
   * another check refuses them. `segment` are the filters of a segment.
   */
  read(query: ReportQuery, failures: Failures, segment: readonly unknown[]): Own;
  /** Fields of `filters` that only this report has, and reads itself. */
  readonly ownFields?: readonly string[];
  /** The days that it reads, where they are more than the window. */
  reach?(own: Own, window: Days): Days;
  /** The dates, where the report has other names for them, too. */
  dates?(query: ReportQuery): Pick<ReportQuery, "date_from" | "date_to">;
  /** The report's own window where no date_from is given; else: the last seven days and today. */
  defaultFrom?(own: Own, lastDay: string): string;
  plan(own: Own, context: ReportContext): ReportStatement;
}

/** Keeps the type of the report's own parameters for its author, and erases it for the table. */
export function defineReport<Own>(report: Report<Own>): Report {
  return report as Report;
}

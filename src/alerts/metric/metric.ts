/** A metric alert as the service works with it: the fields of its definition, checked, with durations in milliseconds. */
import type { BASELINES, DIRECTIONS, INGEST_VALUES } from "../../contract/metric-alerts.ts";
import type { ReportName } from "../../contract/reports.ts";
import type { FigureName } from "../../query/windows/figures.ts";

export type Direction = (typeof DIRECTIONS)[number];
export type Baseline = (typeof BASELINES)[number];
export type IngestValue = (typeof INGEST_VALUES)[number];
export type Params = Readonly<Record<string, unknown>>;

export type Source =
  /** A figure of kpis in a window of any length. */
  | { readonly kind: "figure"; readonly name: FigureName; readonly params: Params }
  /** A number of a report about whole days. */
  | {
      readonly kind: "report";
      readonly name: ReportName;
      readonly params: Params;
      readonly value: string;
      readonly row: Readonly<Record<string, string | number>>;
    }
  | { readonly kind: "sql"; readonly query: string }
  | { readonly kind: "chart"; readonly chartId: string }
  | { readonly kind: "ingest"; readonly value: IngestValue };

export type Condition =
  | { readonly kind: "above" | "below"; readonly threshold: number }
  | {
      readonly kind: "changed";
      readonly percent: number;
      readonly against: Baseline;
      readonly direction: Direction;
      readonly minDifference: number;
    }
  | { readonly kind: "unusual"; readonly score: number; readonly direction: Direction; readonly minDifference: number }
  | { readonly kind: "no_data" };

export interface Metric {
  readonly source: Source;
  readonly windowMs: number;
  /** Its windows are days of a calendar, which may have 23 or 25 hours. */
  readonly isInDays: boolean;
  readonly everyMs: number;
  readonly delayMs: number;
  readonly condition: Condition;
  /** Evaluations in a row before it fires. */
  readonly pending: number;
  readonly coolDownMs: number;
}

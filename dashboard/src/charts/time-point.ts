/** One bucket of a chart over time. */
export interface TimePoint {
  /** The name of the bucket, for the tooltip. */
  label: string;
  axis: string;
  value: number | null;
  previous?: number | null | undefined;
  previousLabel?: string | undefined;
  /** True while the bucket is not over: it is drawn lighter. */
  partial?: boolean | undefined;
}

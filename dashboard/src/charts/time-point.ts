/** One bucket of a chart over time. */
export interface TimePoint {
  /** The name of the bucket, for the tooltip. */
  label: string;
  axis: string;
  /** Its day, or time, for files: 2026-11-16, 2026-11-16T13:00:00Z. */
  start?: string | undefined;
  value: number | null;
  previous?: number | null | undefined;
  previousLabel?: string | undefined;
  previousStart?: string | undefined;
  /** True while the bucket is not over: it is drawn lighter. */
  partial?: boolean | undefined;
  /** In the tooltip beside the value; without it, "so far" where the bucket is not over. */
  note?: string | undefined;
}

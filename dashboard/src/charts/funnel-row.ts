/** A row of the report `funnel`: a step, of everyone or of one group. */
export interface FunnelRow {
  step: number;
  event: string;
  users: number;
  conversion_from_start: number | null;
  conversion_from_previous: number | null;
  median_seconds_from_previous: number | null;
  median_seconds_from_start: number | null;
  breakdown?: string;
}

/** The stage of each wallet on a reference day: how it comes and goes. */
import { LIFECYCLE_DAYS } from "../../contract/lifecycle.ts";
import type { Cte } from "../../engines/relations.ts";
import { fillSql } from "../../lib/sql.ts";
import { readParts } from "../report/parts.ts";
import { FIRST_DAY } from "../report/window.ts";

const PARTS = readParts("stages");

export type Threshold = keyof typeof LIFECYCLE_DAYS;
export type Thresholds = Readonly<Record<Threshold, number>>;

/** The last CTE, `stages` with the suffix, has project_id, user_key and stage. `visits` has all days up to `reference`. */
export function stagesOf(reference: string, suffix: string, visits: string): Cte[] {
  const part = (name: string, texts: Record<string, string>): Cte => ({
    name: `${name}${suffix}`,
    sql: fillSql(PARTS(name), texts),
  });
  return [
    part("user_days", { reference, visits }),
    part("spans", { user_days: `user_days${suffix}` }),
    part("stages", { reference, spans: `spans${suffix}` }),
  ];
}

export function stageParams(days: Thresholds = LIFECYCLE_DAYS): Readonly<Record<string, unknown>> {
  return { ...days, lookback: lookbackOf(days), beginning: FIRST_DAY };
}

/** Far enough to see the gap before the last churn window, and the window before it. */
function lookbackOf(days: Thresholds): number {
  const { churn_window_days, resurrected_gap_days, power_user_window_days } = days;
  return Math.max(churn_window_days + Math.max(churn_window_days, resurrected_gap_days), power_user_window_days);
}

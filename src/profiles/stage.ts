/** The stage of one wallet by the days on which it was active: the rule of query/reports/stages.sql for a single row. */
import type { STAGES } from "../contract/lifecycle.ts";
import { DAY_MS } from "../lib/time.ts";
import type { Thresholds } from "../query/reports/stages.ts";

type Stage = (typeof STAGES)[number];

/** `days` are sorted, and not after `today`. Null: it was never seen. */
export function stageOf(days: readonly string[], today: string, limits: Thresholds): Stage | null {
  const ages = days.map((day) => (Date.parse(today) - Date.parse(day)) / DAY_MS).filter((age) => age >= 0);
  const [first, last] = [ages[0], ages.at(-1)];
  if (first === undefined || last === undefined) return null;
  const count = (from: number, to: number) => ages.filter((age) => age >= from && age < to).length;
  const churn = limits.churn_window_days;
  if (last >= churn) return "Churned";
  if (first < limits.new_window_days) return "New";
  if (count(0, limits.power_user_window_days) >= limits.power_user_min_active_days) return "Power user";
  const hasReturned = ages.some(
    (age, at) => age < churn && at > 0 && (ages[at - 1] ?? age) - age >= limits.resurrected_gap_days,
  );
  if (hasReturned) return "Resurrected";
  const wasActive = count(churn, 2 * churn) >= limits.at_risk_prior_active_days_threshold;
  return last >= limits.at_risk_min_days_inactive && wasActive ? "At Risk" : "Returning";
}

/** The stages of wallets, by their numbers in the SQL, from 1. */
export const STAGES = ["New", "Returning", "Power user", "Resurrected", "At Risk", "Churned"] as const;

/** The defaults of the lifecycle's thresholds, in days. */
export const LIFECYCLE_DAYS = {
  new_window_days: 30,
  churn_window_days: 30,
  power_user_min_active_days: 5,
  power_user_window_days: 30,
  resurrected_gap_days: 30,
  at_risk_min_days_inactive: 14,
  at_risk_prior_active_days_threshold: 1,
} as const;

/** Every threshold is from 1 to so many days. */
export const MOST_LIFECYCLE_DAYS = 90;

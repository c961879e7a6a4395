/** Limits of the report `retention`. */
export const RETENTION_LIMITS = {
  cohorts: { default: 12, minimum: 1, maximum: 52 },
  minUsers: 10,
  /**
   * Periods of a cohort, with the first. The hosted service declares 13 and shows 14 in its example: its clients read them
   * by their place, and one more does no harm.
   */
  periods: 14,
} as const;

/** A cohort is the users who were first active in one of these. */
export const COHORT_INTERVALS = ["day", "week", "month"] as const;
export type CohortInterval = (typeof COHORT_INTERVALS)[number];

/** As `entry_type`: a cohort begins with any event. */
export const ANY_ENTRY = "any";

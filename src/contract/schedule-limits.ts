/** Limits of scheduled reports, without schemas: the dashboard reads them, too. */
export const SCHEDULE_LIMITS = {
  titleChars: 200,
  perProject: 20,
  recipients: 20,
  valueChars: 2_048,
  runs: 50,
} as const;

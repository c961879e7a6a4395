/** Limits of funnels and paths. */
export const STEP_LIMITS = {
  steps: { minimum: 2, maximum: 10 },
  /** A name, an event, a path. */
  nameChars: 512,
  /** 7,200 s: the two hours of the hosted service. */
  windowSeconds: { default: 7200, minimum: 1, maximum: 366 * 86_400 },
  /** Values of a funnel's `group_by` with rows of their own. */
  groups: { default: 5, minimum: 1, maximum: 100 },
} as const;

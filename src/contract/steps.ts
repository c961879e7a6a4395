/** Limits of funnels and paths. */
export const STEP_LIMITS = {
  steps: { minimum: 2, maximum: 10 },
  /** A name, an event, a path. */
  nameChars: 512,
  /** 7,200 s: the two hours of the hosted service. */
  windowSeconds: { default: 7200, minimum: 1, maximum: 366 * 86_400 },
  /** Values of a funnel's `group_by` with rows of their own. */
  groups: { default: 5, minimum: 1, maximum: 100 },
  /** Steps of a path. Other numbers are moved into the range. */
  pathSteps: { default: 4, least: 2, most: 10 },
  /**
   * Nodes of one place in the paths that have rows of their own. The hosted service does not say how many it returns;
   * with 20 the largest answer has 4,410 rows.
   */
  pathNodes: { default: 20, minimum: 1, maximum: 50 },
} as const;

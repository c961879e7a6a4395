/** Limits of public links. In a file of its own, because the dashboard reads them. */
export const LINK_LIMITS = {
  perBoard: 20,
  /** A link is 160 random bits already: the password is for those who were sent both ways. */
  passwordMinChars: 8,
  passwordMaxChars: 256,
  frameAncestors: 20,
  /** As many as a report takes. */
  filters: 20,
  days: { minimum: 1, maximum: 3_650 },
  /** A working day: how long a password that was typed holds. */
  openedHours: 8,
  /** How long a browser that has opened a link has attempts of its own. */
  knownDays: 30,
} as const;

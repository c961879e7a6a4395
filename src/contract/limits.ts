/**
 * Limits of requests. Each has a clear error. None is a setting; rates are (installation/config.ts). Reports, forms and
 * webhooks have lists of their own: REPORT_LIMITS, FORM_LIMITS, WEBHOOK_LIMITS.
 */
export const LIMITS = {
  idempotencyKeyChars: 255,
  idempotencyHours: 24,
  /** How long settled deliveries, their attempts, suspected spam and parked events are kept. */
  keptDays: 30,
  validationFailures: 50,
  apiBodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  urlChars: 8 * 1024,
  /** On the API server: the longest filters in ASCII, of which each character may be encoded as three (`%7C`). */
  apiUrlChars: 256 * 1024,
  /** For BI tools, whose statements belong in the body. */
  clickhouseUrlChars: 16 * 1024,
  /** The route with the most has 30. Counted before parsing: 120,000 names in a URL held the process for 0.7 s. */
  queryParameters: 200,
  jsonDepth: 32,
  /** Bounded by what depends on it: http/events/body-budget.ts (36 MiB) and ingest/segment-format.ts (32 MiB). */
  eventsBodyBytes: 10 * 1024 * 1024,
  eventsPerRequest: 5_000,
  /** Objects, arrays and what they hold: 10 MiB of events have 200,000 to 400,000. */
  eventsValues: 500_000,
  eventBytes: 256 * 1024,
} as const;

/** Limits a client can run into. Each has its clear error; settings change the rates only. */
export const LIMITS = {
  idempotencyKeyChars: 255,
  idempotencyHours: 24,
  /** How far back deliveries, their attempts and suspected spam reach; parked events too. */
  keptDays: 30,
  validationFailures: 50,
  apiBodyBytes: 1024 * 1024,
  headerBytes: 16 * 1024,
  urlChars: 8 * 1024,
  /** On the API server: room for the longest filters of ASCII text, each character of which may take three (`%7C`). */
  apiUrlChars: 256 * 1024,
  jsonDepth: 32,
  eventsBodyBytes: 10 * 1024 * 1024,
  eventsPerRequest: 5_000,
  /** Objects, arrays and what they hold: 10 MiB of events have 200,000 to 400,000. */
  eventsValues: 500_000,
  eventBytes: 256 * 1024,
} as const;

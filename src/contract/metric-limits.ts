/** Limits of alerts on numbers, without schemas: the dashboard reads them, too. */
export const METRIC_LIMITS = {
  /** Windows and schedules are multiples of so many minutes. */
  stepMinutes: 5,
  window: { minutes: 1440, hours: 720, days: 90 },
  /** The longest schedule: once a week. */
  everyMinutes: 7 * 1440,
  pending: { default: 1, minimum: 1, maximum: 100 },
  coolDownMinutes: { default: 0, minimum: 0, maximum: 7 * 1440 },
  /** Clients send events a while after they happened: the service's own scripts within seconds. */
  delayMinutes: { default: 2, minimum: 0, maximum: 1440 },
  queryChars: 20_000,
  /** Weeks of history that an unusual value is compared with, and the fewest. */
  weeks: { most: 8, least: 4 },
  previewDays: 30,
  /** Most questions of a preview whose number has no series of its own. */
  previewQuestions: 100,
  /** Most points of a preview. More are thinned out: the extremes and the changes of state stay. */
  previewPoints: 1_000,
  /** Wallets whose profiles a preview of a user alert reads, the last seen first: ten reads of 100. */
  previewWallets: 1_000,
  /** Moments of events of the wallets that meet its conditions: reading as many rows holds others up for 12 ms. */
  previewMoments: 20_000,
} as const;

/** Of the ledger: numbers of events, and shares of the received ones. */
export const INGEST_VALUES = ["received", "stored", "parked", "refused", "parked_rate", "refused_rate"] as const;

/** Limits and kinds of alerts, without schemas: the dashboard reads them, too. */
export const ALERT_LIMITS = {
  nameChars: 200,
  perProject: 200,
  filters: 20,
  valueChars: 1_024,
  /** Targets of one alert, of all channels together. */
  targets: 10,
  targetChars: 2_048,
  secretChars: 256,
  propertyKeys: 20,
  /** Of a metric or a sample, as JSON. */
  objectChars: 32 * 1024,
  /** Matches of one storm that are sent by themselves; the others are one message with their number. */
  items: 25,
  /** As long as the hosted service gathers matches. */
  stormMinutes: 5,
  /** Matches that are sent by themselves in 24 hours: a storm without end would send 7,200. After them a number an hour. */
  itemsPerDay: 500,
  longStormMinutes: 60,
  /** A user alert tells about a wallet at most once in this time. */
  walletHours: 24,
  /** An alert that fails this often in a row becomes inactive. */
  failures: 5,
} as const;

export const TRIGGER_TYPES = ["event", "user", "metric"] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const RECIPIENT_TYPES = ["webhook", "slack", "discord", "telegram", "email"] as const;
export type RecipientType = (typeof RECIPIENT_TYPES)[number];

export const NOTIFICATION_LIMITS = {
  listed: 20,
  /** More are shown as this many and a plus. */
  counted: 99,
} as const;

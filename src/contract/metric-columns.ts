/**
 * The columns that reports can group by, `metric_column`. A file of its own because the engine's process needs it
 * without the schema library (0.25 s of processor time and 15
 * MB).
 */

/** Columns that revenue can be grouped by. */
export const REVENUE_COLUMNS = [
  "pathname",
  "origin",
  "channel",
  "referrer",
  "referrer_url",
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "builder_codes",
  "location",
  "device",
  "browser",
  "os",
  "rdns",
  "provider_name",
  "chain_id",
  "event",
] as const;

/** Columns that sources can be broken down by. */
export const SOURCE_COLUMNS = [
  "referrer",
  "referrer_url",
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "origin",
  "device",
  "browser",
  "os",
  "channel",
] as const;

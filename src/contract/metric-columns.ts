/** The columns that reports can group by, `metric_column`. */

/** How a visitor arrived, as far as the event itself says so. */
export const ARRIVAL_COLUMNS = [
  "referrer",
  "referrer_url",
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
] as const;

/** The client and its wallet. */
export const CLIENT_COLUMNS = ["device", "browser", "os", "location", "rdns", "provider_name", "chain_id"] as const;

const CAMPAIGN_COLUMNS = [
  "ref",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "builder_codes",
] as const;

/** Columns that revenue can be grouped by. */
export const REVENUE_COLUMNS = [
  "pathname",
  "origin",
  "channel",
  "paid_source",
  "referrer",
  "referrer_url",
  ...CAMPAIGN_COLUMNS,
  "location",
  "device",
  "browser",
  "os",
  "rdns",
  "provider_name",
  "chain_id",
  "event",
] as const;

export const INTERVALS = ["hour", "day", "week", "month", "all"] as const;
export type Interval = (typeof INTERVALS)[number];

/** The columns of kpis, `group_by`. */
export const KPI_GROUPS = [
  "referrer",
  "location",
  "device",
  "browser",
  "os",
  "utm_source",
  "utm_medium",
  "utm_campaign",
] as const;

/** The columns of revenue_overview, `group_by`. */
export const REVENUE_GROUPS = [
  ...KPI_GROUPS,
  "utm_content",
  "utm_term",
  "ref",
  "builder_codes",
  "channel_type",
  "paid_source",
] as const;

/** The columns of event_timeseries, `group_by`. */
export const EVENT_GROUPS = [
  "channel_type",
  "device",
  "browser",
  "os",
  "location",
  "referrer",
  ...CAMPAIGN_COLUMNS,
] as const;

/** The columns of funnels, `group_by`. */
export const FUNNEL_GROUPS = [...EVENT_GROUPS, "channel"] as const;

/** The column that a `group_by` names: `channel_type` is the column `channel`. Undefined: none of the groups. */
export function columnOfGroup(groups: readonly string[], name: unknown): string | undefined {
  if (typeof name !== "string" || !groups.includes(name)) return undefined;
  return name === "channel_type" ? "channel" : name;
}

/** Columns that sources can be broken down by. */
export const SOURCE_COLUMNS = [
  ...ARRIVAL_COLUMNS,
  "origin",
  "device",
  "browser",
  "os",
  "channel",
  "paid_source",
] as const;

/** The columns of breakdown: of sessions, then of single events. */
export const BREAKDOWN_COLUMNS = [
  ...SOURCE_COLUMNS,
  "location",
  "rdns",
  "entry_page",
  "exit_page",
  "page",
  "chain_id",
  "builder_codes",
  "event",
  "custom_event",
] as const;

/** The measures of breakdown, in the order of its columns. */
export const BREAKDOWN_MEASURES = [
  "hits",
  "sessions",
  "visitors",
  "wallets",
  "transacting_wallets",
  "conversion",
  "transactions",
  "volume",
  "revenue",
  "revenue_per_wallet",
] as const;
export type BreakdownMeasure = (typeof BREAKDOWN_MEASURES)[number];

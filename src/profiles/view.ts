/** A profile as clients see it. What is not known is null. */
import { type Expansion, PROPERTY_KEYS, TOUCH_FIELDS } from "../contract/profile-fields.ts";
import { PROFILE_LIMITS } from "../contract/profiles.ts";
import type { ProfileRow } from "../query/profiles/select-profiles.ts";
import type { Thresholds } from "../query/reports/stages.ts";
import { stageOf } from "./stage.ts";
import type { Told } from "./wallets.ts";

export interface ViewOptions {
  readonly expand: ReadonlySet<Expansion>;
  readonly today: string;
  readonly thresholds: Thresholds;
}

type Row = Partial<ProfileRow>;

/** `row` is undefined for a wallet without events. */
export function viewProfile(address: string, row: ProfileRow | undefined, told: Told, options: ViewOptions) {
  const seen: Row = row ?? {};
  const days = seen.activity_days ?? [];
  const changes = [seen.last_seen_ms, told.changedMs].filter((ms) => ms !== undefined);
  return {
    address,
    net_worth_usd: told.netWorthUsd,
    tx_count: null,
    first_onchain: null,
    last_onchain: null,
    updated_at: changes.length === 0 ? null : toTime(Math.max(...changes)),
    ...Object.fromEntries(PROPERTY_KEYS.map((key) => [key, told.properties.get(key) ?? null])),
    user_id: told.properties.get("user_id") ?? toText(seen.user_id),
    first_seen: toTime(seen.first_seen_ms),
    last_seen: toTime(seen.last_seen_ms),
    lifecycle: stageOf(days, options.today, options.thresholds),
    num_sessions: seen.sessions ?? 0,
    events: seen.events ?? 0,
    transactions: seen.transactions ?? 0,
    signatures: seen.signatures ?? 0,
    revenue: seen.revenue ?? 0,
    volume: seen.volume ?? 0,
    points: seen.points ?? 0,
    device: toText(seen.device),
    browser: toText(seen.browser),
    os: toText(seen.os),
    location: told.properties.get("location") ?? toText(seen.location),
    activity_dates: days,
    ...viewTouches(seen),
    last_type: toText(seen.last_type),
    last_event: toText(seen.last_event),
    last_properties: toText(seen.last_properties),
    imported_at: toTime(told.importedMs),
    ...viewExpanded(seen, told, options.expand),
  };
}

function viewTouches(seen: Row): Record<string, string | null> {
  const names = [...TOUCH_FIELDS, "paid_source"].flatMap((name) => [`first_${name}`, `last_${name}`]);
  return Object.fromEntries(names.map((name) => [name, toText(seen[name as keyof Row])]));
}

function viewExpanded({ chains = [] }: Row, { labels, tokens }: Told, expand: ReadonlySet<Expansion>) {
  const unknown = { net_worth_usd: null, tx_count: null, first_onchain: null, last_onchain: null };
  return {
    ...(expand.has("chains") && {
      chains: chains.slice(0, PROFILE_LIMITS.expanded).map((chain_id) => ({ chain_id, ...unknown })),
    }),
    ...(expand.has("apps") && { apps: null }),
    ...(expand.has("tokens") && { tokens: tokens?.slice(0, PROFILE_LIMITS.expanded).map(viewToken) ?? null }),
    ...(expand.has("labels") && {
      labels: labels.map(({ tag_id, value, chain_id, source }) => ({
        id: tag_id,
        value,
        chain_id: chain_id === "" ? "-" : chain_id,
        source,
      })),
    }),
  };
}

/** What no provider tells yet. */
function viewToken(token: unknown) {
  return { app_id: null, img: null, ...(token as object) };
}

function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

import type { TextBytes } from "../lib/text-bytes.ts";
import type { Origin } from "./received-event.ts";
import type { ClickId } from "./tags.ts";

/** The ad network that each click id belongs to. */
export const PAID_SOURCES = {
  gclid: "google",
  gad_source: "google",
  fbclid: "meta",
  msclkid: "microsoft",
  ttclid: "tiktok",
  twclid: "twitter",
  li_fat_id: "linkedin",
  rdt_cid: "reddit",
} as const satisfies Readonly<Record<ClickId, string>>;

export type PaidSource = "" | "paid_utm" | (typeof PAID_SOURCES)[ClickId];

export const ACQUISITION_CHANNELS = [
  "Paid Search",
  "Paid Video",
  "Paid Social",
  "Email",
  "Referrals",
  "Display",
  "AI",
  "Organic Search",
  "Organic Social",
  "Organic Video",
  "Referrers",
  "Direct",
] as const;

export type AcquisitionChannel = (typeof ACQUISITION_CHANNELS)[number];

export type Device = "" | "desktop" | "mobile-ios" | "mobile-android" | "tablet" | "bot";

/**
 * Everything known about an event. Times are epoch milliseconds. The warehouse stores most fields as columns
 * (`warehouse/stored-row.ts`). The page's URL and query and the click ids only serve later steps: `context` holds them
 * anyway. The engine derives visitor and session from these columns, because a 64-bit hash in JavaScript needs BigInt
 * arithmetic.
 */
export interface EventRow {
  project_id: string;
  message_id: string;
  /** UTC day of the client's own time, part of the dedupe key: see `steps/times.ts`. */
  day: string;
  timestamp: number;
  received_at: number;
  original_timestamp: number;
  sent_at: number;
  channel: string;
  type: string;
  event: string;
  version: string;
  anonymous_id: string;
  user_id: string;
  address: string;
  address_raw: string;
  /** The client's own session id; empty when it sends none. */
  session_id: string;
  origin: string;
  pathname: string;
  page_url: string;
  page_query: string;
  referrer: string;
  referrer_url: string;
  ref: string;
  utm_source: string;
  utm_medium: string;
  utm_campaign: string;
  utm_term: string;
  utm_content: string;
  gclid: string;
  gad_source: string;
  fbclid: string;
  msclkid: string;
  ttclid: string;
  twclid: string;
  li_fat_id: string;
  rdt_cid: string;
  device: Device;
  browser: string;
  os: string;
  location: string;
  rdns: string;
  provider_name: string;
  chain_id: string;
  builder_codes: string;
  volume: number;
  revenue: number;
  points: number;
  acquisition: AcquisitionChannel;
  has_touch: 0 | 1;
  context: string | TextBytes;
  properties: string | TextBytes;
  extra: string;
  /** The ad network whose click id the event carries, `paid_utm` for a paid `utm_medium` alone, else empty. */
  paid_source: PaidSource;
  /** The id of the click in that network; empty without one. */
  click_id: string;
}

/** All columns at once and in a fixed order: with one hidden class for every row, steps and serializer stay fast. */
export function blankRow(origin: Origin): EventRow {
  return {
    project_id: origin.projectId,
    message_id: "",
    day: "",
    timestamp: 0,
    received_at: origin.receivedAtMs,
    original_timestamp: 0,
    sent_at: 0,
    channel: "",
    type: "",
    event: "",
    version: "",
    anonymous_id: "",
    user_id: "",
    address: "",
    address_raw: "",
    session_id: "",
    origin: "",
    pathname: "",
    page_url: "",
    page_query: "",
    referrer: "",
    referrer_url: "",
    ref: "",
    utm_source: "",
    utm_medium: "",
    utm_campaign: "",
    utm_term: "",
    utm_content: "",
    gclid: "",
    gad_source: "",
    fbclid: "",
    msclkid: "",
    ttclid: "",
    twclid: "",
    li_fat_id: "",
    rdt_cid: "",
    device: "",
    browser: "",
    os: "",
    location: "",
    rdns: "",
    provider_name: "",
    chain_id: "",
    builder_codes: "",
    volume: 0,
    revenue: 0,
    points: 0,
    acquisition: "Direct",
    has_touch: 0,
    context: "{}",
    properties: "{}",
    extra: "{}",
    paid_source: "",
    click_id: "",
  };
}

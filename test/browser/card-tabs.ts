/** Every tab of every card of the overview, and the report that it shows. */
import type { TabAnswer } from "./shown-rows.ts";

const ONCHAIN = [
  ["Wallets", "wallets"],
  ["Transacting wallets", "transacting_wallets"],
  ["Conversion", "conversion"],
  ["Volume", "volume"],
  ["Revenue", "revenue"],
  ["Revenue per wallet", "revenue_per_wallet"],
] as const;
const VISITORS = ["Visitors", "visitors"] as const;
const SESSIONS = ["Sessions", "sessions"] as const;
const VIEWS = ["Page views", "hits"] as const;
const ALL = [VISITORS, SESSIONS, VIEWS, ...ONCHAIN];
const FEW = [VISITORS, SESSIONS, ...ONCHAIN];
const ENDS = [SESSIONS, VIEWS, VISITORS, ...ONCHAIN];
const EVENTS = [["Events", "hits"] as const, VISITORS, SESSIONS, ...ONCHAIN];

/** The first measure has a report of its own; all others are those of the breakdown. */
const touch = (column: string): TabAnswer => ({
  report: "top_sources",
  query: { metric_column: column },
  column,
  breakdown: column,
  measures: ALL,
});

export const CARD_TABS: Readonly<Record<string, Readonly<Record<string, TabAnswer>>>> = {
  Sources: {
    Channels: touch("channel"),
    Referrers: touch("referrer"),
    Campaigns: touch("utm_campaign"),
    "UTM sources": touch("utm_source"),
    "UTM media": touch("utm_medium"),
    "UTM contents": touch("utm_content"),
    "UTM terms": touch("utm_term"),
    Refs: touch("ref"),
    "Referrer URLs": touch("referrer_url"),
    "Builder codes": {
      report: "breakdown",
      query: { metric_column: "builder_codes" },
      column: "builder_codes",
      breakdown: "builder_codes",
      measures: FEW,
    },
  },
  Pages: {
    Pages: { report: "top_pages", query: { mode: "all" }, column: "pathname", breakdown: "page", measures: ALL },
    Entry: {
      report: "top_pages",
      query: { mode: "entry" },
      column: "pathname",
      breakdown: "entry_page",
      measures: ENDS,
    },
    Exit: { report: "top_pages", query: { mode: "exit" }, column: "pathname", breakdown: "exit_page", measures: ENDS },
    Sites: touch("origin"),
  },
  "Chains and wallets": {
    Chains: { report: "top_chains", column: "chain_id", breakdown: "chain_id", measures: FEW },
    Wallets: { report: "top_wallets", column: "rdns", breakdown: "rdns", measures: FEW },
  },
  Places: {
    Countries: { report: "top_locations", column: "location", breakdown: "location", measures: ALL },
  },
  Devices: { Devices: touch("device"), Browsers: touch("browser"), Systems: touch("os") },
  Events: {
    Events: { report: "top_events", column: "event", breakdown: "event", measures: EVENTS },
    Custom: {
      report: "top_events",
      query: { type: "custom" },
      column: "event",
      breakdown: "custom_event",
      measures: EVENTS,
    },
  },
};

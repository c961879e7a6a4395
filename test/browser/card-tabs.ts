/** Every tab of every card of the overview, and the report that it shows. */
import type { TabAnswer } from "./shown-rows.ts";

const VISITS = [
  ["Visitors", "visitors"],
  ["Sessions", "sessions"],
  ["Page views", "hits"],
] as const;
const FEW = [
  ["Visitors", "visitors"],
  ["Sessions", "sessions"],
] as const;
const ENDS = [
  ["Sessions", "sessions"],
  ["Page views", "hits"],
] as const;
const EVENTS = [["Events", "hits"]] as const;

const touch = (column: string): TabAnswer => ({
  report: "top_sources",
  query: { metric_column: column },
  column,
  measures: VISITS,
  money: column,
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
    "Builder codes": { report: "", column: "builder_codes", measures: [], money: "builder_codes" },
  },
  Pages: {
    Pages: { report: "top_pages", query: { mode: "all" }, column: "pathname", measures: VISITS, money: "pathname" },
    Entry: { report: "top_pages", query: { mode: "entry" }, column: "pathname", measures: ENDS },
    Exit: { report: "top_pages", query: { mode: "exit" }, column: "pathname", measures: ENDS },
    Sites: touch("origin"),
  },
  "Chains and wallets": {
    Chains: { report: "top_chains", column: "chain_id", measures: FEW, money: "chain_id" },
    Wallets: { report: "top_wallets", column: "rdns", measures: FEW, money: "rdns" },
  },
  Places: {
    Countries: { report: "top_locations", column: "location", measures: VISITS, money: "location" },
  },
  Devices: { Devices: touch("device"), Browsers: touch("browser"), Systems: touch("os") },
  Events: {
    Events: { report: "top_events", column: "event", measures: EVENTS, money: "event" },
    Custom: { report: "top_events", query: { type: "custom" }, column: "event", measures: EVENTS, money: "event" },
  },
};

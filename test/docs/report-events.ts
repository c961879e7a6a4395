/** The events of the examples in docs/reports.md, which lists them. */
import { sampleEvent } from "../support/events.ts";

const DESKTOP =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
export const WALLET = "0x00000000000000000000000000000000000000aa";

interface Example {
  readonly at: string;
  readonly who: string;
  readonly type?: string;
  readonly event?: string;
  readonly page?: string;
  readonly from?: string;
  readonly address?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const VISITORS: Readonly<Record<string, { agent: string; location: string }>> = {
  ada: { agent: DESKTOP, location: "DE" },
  bob: { agent: PHONE, location: "US" },
  eve: { agent: DESKTOP, location: "US" },
};

const wallet = { address: WALLET, page: "/swap" };
const onMainnet = { chain_id: 1, rdns: "io.metamask", provider_name: "MetaMask" };
const EXAMPLES: readonly Example[] = [
  { at: "2026-03-09T09:00:00Z", who: "ada", page: "/?gclid=x", from: "https://www.google.com/" },
  { at: "2026-03-09T09:00:40Z", who: "ada", page: "/swap" },
  { at: "2026-03-09T09:01:00Z", who: "ada", type: "connect", ...wallet, properties: onMainnet },
  {
    at: "2026-03-09T09:02:00Z",
    who: "ada",
    type: "transaction",
    ...wallet,
    properties: { chain_id: 1, status: "started" },
  },
  {
    at: "2026-03-09T09:02:20Z",
    who: "ada",
    type: "transaction",
    ...wallet,
    properties: { chain_id: 1, status: "broadcasted" },
  },
  {
    at: "2026-03-09T09:02:30Z",
    who: "ada",
    type: "track",
    event: "Swap",
    ...wallet,
    properties: { revenue: 1.5, volume: 500 },
  },
  { at: "2026-03-09T10:30:00Z", who: "bob", page: "/pools", from: "https://t.co/x" },
  { at: "2026-03-10T14:00:00Z", who: "ada", page: "/swap" },
  {
    at: "2026-03-10T14:03:00Z",
    who: "ada",
    type: "track",
    event: "Swap",
    ...wallet,
    properties: { revenue: 2.25, volume: 750 },
  },
  { at: "2026-03-10T14:10:00Z", who: "eve", page: "/?utm_source=newsletter&utm_medium=email" },
  { at: "2026-03-10T14:10:30Z", who: "eve", page: "/pools" },
];

export function reportEvents(): object[] {
  return EXAMPLES.map(
    ({ at, who, type = "page", event = "", page = "", from = "", address = "", properties = {} }, nth) => {
      const { agent = "", location = "" } = VISITORS[who] ?? {};
      const context = { user_agent: agent, location, referrer: from, page_url: `https://app.example.com${page}` };
      return sampleEvent(`example-${nth}`, {
        channel: "server",
        type,
        event,
        anonymous_id: who,
        address,
        context: JSON.stringify(context),
        properties: JSON.stringify(properties),
        original_timestamp: at,
        sent_at: at,
      });
    },
  );
}

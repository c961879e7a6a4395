/** What the pages of wallets show, and what the API answers. */
import type { Page } from "playwright-core";
import { momentText, shortDayText } from "../../dashboard/src/format/dates.ts";
import { shortAddress, valueName } from "../../dashboard/src/format/names.ts";
import { full } from "../../dashboard/src/format/numbers.ts";
import { sampleEvent } from "../support/events.ts";
import type { DashboardService } from "./dashboard-service.ts";
import { settle } from "./settle.ts";
import { ask, expectShown, type Query, readTable } from "./shown-rows.ts";

export interface Profile {
  address: string;
  first_seen: string;
  last_seen: string;
  lifecycle: string;
  num_sessions: number;
  events: number;
  transactions: number;
  signatures: number;
  volume: number;
  revenue: number;
  activity_dates: readonly string[];
  first_channel: string;
  first_referrer: string | null;
  labels: readonly { id: string; value: string }[];
}

export async function openApp(site: DashboardService, page: Page, path: string): Promise<void> {
  await page.goto(`${site.service.apiUrl}/app${path}`);
  await settle(page);
}

export function findWallets(site: DashboardService, query: Query = {}): Promise<{ data: Profile[]; total: number }> {
  return ask(site, "/v0/profiles", { order_by: "last_seen", expand: "labels", size: "50", ...query });
}

export const momentOf = (time: string) => `${momentText(Date.parse(time))}, ${time.slice(0, 4)}`;

const dayOf = (time: string) => `${shortDayText(time.slice(0, 10))}, ${time.slice(0, 4)}`;

/** The rows of the list are those that the API answers, in its order. */
export async function expectWallets(site: DashboardService, page: Page, query: Query = {}): Promise<void> {
  await expectShown(
    `the wallets of ${JSON.stringify(query)}`,
    () => readTable(page.locator(".wallet-table")),
    async () => (await findWallets(site, query)).data.map(rowOf),
  );
}

function rowOf(profile: Profile): string[] {
  const { address, first_seen, last_seen, lifecycle, first_referrer, first_channel, labels } = profile;
  return [
    shortAddress(address),
    dayOf(first_seen),
    dayOf(last_seen),
    full(profile.num_sessions, "count"),
    full(profile.transactions, "count"),
    full(profile.volume, "amount"),
    full(profile.revenue, "amount"),
    lifecycle,
    [...(first_referrer === null ? [] : [first_referrer]), valueName("channel", first_channel)].join(" · "),
    labels.map(({ id, value }) => `${id}: ${value}`).join(", ") || "–",
  ];
}

/** Two days of a visitor with an ad's click and several wallets, of which the first is also somebody else's. */
export function sharedVisits([first = "", second = "", third = ""]: readonly string[]): object[] {
  const nowMs = Date.now();
  const event = (id: string, daysAgo: number, changes: Record<string, unknown>) => {
    const at = new Date(nowMs - daysAgo * 86_400_000).toISOString();
    return sampleEvent(`shared-${id}`, { original_timestamp: at, sent_at: at, channel: "server", ...changes });
  };
  const one = { anonymous_id: "shared-one", user_id: "user-7" };
  const page = (url: string) => ({ type: "page", context: JSON.stringify({ page_url: url }) });
  const connect = (address: string, chain_id: number) => ({
    ...{ type: "connect", address },
    properties: JSON.stringify({ chain_id, rdns: "io.metamask" }),
  });
  return [
    event("a", 1.2, { ...one, ...page("https://app.example.com/?gclid=Cj0first&utm_source=ads") }),
    event("b", 1.1, { ...one, ...connect(first, 1) }),
    event("c", 1.05, { ...one, ...connect(first, 900001) }),
    event("d", 0.03, { ...one, ...page("https://app.example.com/?fbclid=IwARlast") }),
    event("e", 0.02, { ...one, ...connect(first, 8453) }),
    event("f", 0.015, { ...one, ...connect(second, 1) }),
    event("g", 0.014, { ...one, type: "track", event: "Stake", address: third }),
    event("h", 0.01, { anonymous_id: "shared-two", ...connect(first, 1), context: "{}" }),
  ];
}

/** What an event alert and a user alert tell: the body of the contract, and lines for people. */
import type { Message } from "../webhooks/channels/message.ts";
import type { Alert } from "./alerts-table.ts";
import { messageId } from "./firing-id.ts";

type Item = Readonly<Record<string, unknown>>;
type Told = Pick<Alert, "id" | "name" | "projectId" | "propertyKeys">;

/** A page of the dashboard; undefined where the service does not know its own address. */
export type PageUrl = (path: string, query: Readonly<Record<string, string>>) => string | undefined;

const EVENT_LINES = {
  event: "Event",
  type: "Type",
  address: "Wallet",
  user_id: "User",
  page_url: "Page",
  location: "Location",
  device: "Device",
  browser: "Browser",
  referrer: "Referrer",
  revenue: "Revenue",
  volume: "Volume",
  timestamp: "Time",
} as const;

const USER_LINES = {
  address: "Wallet",
  display_name: "Name",
  lifecycle: "Lifecycle",
  net_worth_usd: "Net worth (USD)",
  revenue: "Revenue",
  volume: "Volume",
  points: "Points",
  num_sessions: "Sessions",
  location: "Location",
  first_referrer: "First referrer",
  first_utm_source: "First source",
  last_seen: "Last seen",
} as const;

export function eventMessage(alert: Told, firing: string, item: Item, nowMs: number, pageUrl: PageUrl): Message {
  const name = textOf(item.event) || textOf(item.type);
  return {
    ...envelope("alert.event.triggered", firing, [item], nowMs),
    thinBody: envelope(
      "alert.event.triggered",
      firing,
      [{ ...item, context: {}, properties: {}, is_thin: true }],
      nowMs,
    ).body,
    title: name === "" ? alert.name : `${alert.name}: ${name}`,
    lines: [...linesOf(item, EVENT_LINES), ...propertyLines(item, alert.propertyKeys)],
    ...linkOf(pageUrl("/app/activity", { project: alert.projectId })),
  };
}

export function userMessage(alert: Told, firing: string, item: Item, nowMs: number, pageUrl: PageUrl): Message {
  const address = textOf(item.address);
  return {
    ...envelope("alert.user.triggered", firing, [item], nowMs),
    thinBody: envelope("alert.user.triggered", firing, [{ address, is_thin: true }], nowMs).body,
    title: `${alert.name}: ${textOf(item.display_name) || address}`,
    lines: linesOf(item, USER_LINES),
    ...linkOf(walletUrl(pageUrl, alert.projectId, address)),
  };
}

/** The matches of a storm after the first ones. */
export function countMessage(
  alert: Told & Pick<Alert, "trigger">,
  firing: string,
  storm: { count: number; sinceMs: number },
  nowMs: number,
  pageUrl: PageUrl,
): Message {
  const type = alert.trigger === "user" ? "alert.user.triggered" : "alert.event.triggered";
  const { body, ...rest } = envelope(type, firing, [], nowMs);
  const since = new Date(storm.sinceMs).toISOString();
  const counted = { ...body, count: storm.count, since };
  return {
    ...rest,
    body: counted,
    thinBody: counted,
    title: `${alert.name}: ${storm.count} more`,
    lines: [
      { label: "More matches", value: String(storm.count) },
      { label: "Since", value: since },
    ],
    ...linkOf(pageUrl("/app/activity", { project: alert.projectId })),
  };
}

export function walletUrl(pageUrl: PageUrl, projectId: string, address: string): string | undefined {
  return pageUrl("/app/wallets/wallet", { project: projectId, address });
}

function envelope(type: string, firing: string, data: readonly Item[], nowMs: number) {
  const id = messageId(firing);
  return { id, type, body: { id, type, created: Math.floor(nowMs / 1000), data } };
}

function linkOf(link: string | undefined): { link?: string } {
  return link === undefined ? {} : { link };
}

function linesOf(item: Item, labels: Readonly<Record<string, string>>): Message["lines"] {
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = textOf(item[name]);
    return value === "" || value === "0" ? [] : [{ label, value }];
  });
}

function propertyLines({ properties }: Item, keys: readonly string[]): Message["lines"] {
  const held = (typeof properties === "object" && properties !== null ? properties : {}) as Item;
  return keys.flatMap((key) => (held[key] === undefined ? [] : [{ label: key, value: textOf(held[key]) }]));
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

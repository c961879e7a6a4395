import type { ReactNode } from "react";
import type { EventKind } from "../../../src/contract/event-kinds.ts";
import { clockText, momentText, timeText } from "../format/dates.ts";
import { pathText, seenText, shortAddress, valueName } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import { Address } from "./address.tsx";
import { Flag } from "./flag.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** One event as `/v0/activity` and the stream of `/v0/live` answer it. All of its texts come from outside. */
export interface ActivityEvent {
  id: string;
  timestamp: string;
  received_at: string;
  type: string;
  event: string;
  anonymous_id: string;
  user_id: string;
  address: string;
  session_id: string;
  page_path: string;
  channel_type: string;
  revenue: number;
  volume: number;
  omitted?: readonly string[];
  context: Readonly<Record<string, unknown>> | null;
  properties: Readonly<Record<string, unknown>> | null;
  [column: string]: unknown;
}

const ICONS: Readonly<Record<EventKind, IconName>> = {
  page: "overview",
  connect: "key",
  disconnect: "close",
  chain: "flow",
  signature: "edit",
  transaction: "check",
  track: "activity",
  decoded_log: "sql",
  detect: "search",
  identify: "user",
};

const ONCHAIN = new Set(["connect", "signature", "transaction", "decoded_log"]);

function eventIcon(type: string): IconName {
  return Object.hasOwn(ICONS, type) ? ICONS[type as EventKind] : "activity";
}

/** What happened, in a few words. */
function eventTitle(event: ActivityEvent): string {
  if (event.event !== "") return seenText(event.event);
  if (event.type === "page" && event.page_path !== "") return pathText(event.page_path);
  return valueName("type", event.type);
}

function eventDetail(event: ActivityEvent): string {
  const parts: string[] = [];
  const chain = text(event.chain_id) || text(event.properties?.chain_id);
  const status = text(event.properties?.status);
  const wallet = text(event.rdns) || text(event.properties?.rdns);
  if (status !== "") parts.push(status);
  if (chain !== "") parts.push(valueName("chain_id", chain));
  if (wallet !== "") parts.push(valueName("rdns", wallet));
  if (event.revenue !== 0) parts.push(`revenue ${full(event.revenue, "amount")}`);
  if (event.volume !== 0) parts.push(`volume ${full(event.volume, "amount")}`);
  if (event.type !== "page" && event.page_path !== "") parts.push(pathText(event.page_path));
  return parts.join(" · ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

function timeOf(ms: number, short: "utc" | "zone" | undefined): string {
  if (short === undefined) return momentText(ms);
  return short === "zone" ? clockText(ms) : timeText(ms);
}

/** When and what, in a list. `short`: without the day, in UTC or by the clocks of the project's zone. */
export function EventSummary({ event, short }: { event: ActivityEvent; short?: "utc" | "zone" }): ReactNode {
  const at = Date.parse(event.timestamp);
  return (
    <>
      <time dateTime={event.timestamp}>{timeOf(at, short)}</time>
      <span className={ONCHAIN.has(event.type) ? "event-mark onchain" : "event-mark"}>
        <Icon name={eventIcon(event.type)} size={14} />
      </span>
      <span className="event-what">
        <strong>
          <bdi>{eventTitle(event)}</bdi>
        </strong>
        <span>{eventDetail(event)}</span>
      </span>
    </>
  );
}

/** Who it was. A wallet is a link, so that it is no part of a button. */
export function EventWho({ event }: { event: ActivityEvent }): ReactNode {
  const who = event.address || event.user_id || event.anonymous_id;
  return (
    <span className="event-who" title={who}>
      <Flag code={text(event.location)} />
      {event.address ? <Address isSeen address={event.address} /> : shortAddress(who)}
    </span>
  );
}

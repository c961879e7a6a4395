/** Segment and RudderStack: archives of calls, one in a line. */
import type { Fields, ImportedEvent, NativeRow } from "../imported-event.ts";
import { RefusedRow } from "../imported-event.ts";
import {
  campaignOf,
  compact,
  countryCode,
  deviceWord,
  fieldsOf,
  firstText,
  getText,
  getTime,
  osWord,
  shown,
  textOf,
  walletOf,
} from "./fields.ts";

/** Calls about groups and second names of people are no events. */
const NO_EVENTS = new Set(["group", "alias", "delete"]);

export function mapSegment(row: NativeRow): ImportedEvent[] {
  const call = getText(row, "type");
  if (NO_EVENTS.has(call)) return [];
  const [anonymousId, userId] = [textOf(row.anonymousId), textOf(row.userId)];
  const properties = fieldsOf(call === "identify" ? row.traits : row.properties);
  const { type, event } = kindOf(call, row, properties);
  return [
    {
      key: getText(row, "messageId"),
      atMs: getTime(firstText(row.timestamp, row.originalTimestamp, row.receivedAt), "timestamp"),
      type,
      event,
      anonymousId,
      userId,
      address: walletOf({ ...fieldsOf(fieldsOf(row.context).traits), ...properties }, userId),
      context: contextOf(fieldsOf(row.context), properties),
      properties: compact(properties),
    },
  ];
}

function kindOf(call: string, row: NativeRow, properties: Fields): Pick<ImportedEvent, "type" | "event"> {
  if (call === "page") return { type: "page" };
  if (call === "identify") return { type: "identify" };
  if (call === "track") return { type: "track", event: getText(row, "event") };
  if (call === "screen") return { type: "track", event: firstText(row.name, properties.name, "Screen") };
  throw new RefusedRow(`type is ${shown(call)}; page, track, identify or screen was expected`);
}

function contextOf(context: Fields, properties: Fields): Fields {
  const [page, campaign, os, device] = [context.page, context.campaign, context.os, context.device].map(fieldsOf);
  const location = fieldsOf(context.location);
  return compact({
    session_id: firstText(context.sessionId, context.session_id),
    page_url: firstText(page?.url, properties.url),
    page_path: firstText(page?.path, properties.path),
    page_title: firstText(page?.title, properties.title),
    referrer: firstText(page?.referrer, properties.referrer),
    user_agent: firstText(context.userAgent, context.user_agent),
    timezone: textOf(context.timezone),
    locale: textOf(context.locale),
    os: osWord(textOf(os?.name)),
    device: deviceWord(textOf(device?.type)),
    location: countryCode(textOf(location.country)),
    utm_source: textOf(campaign?.source),
    utm_medium: textOf(campaign?.medium),
    utm_campaign: textOf(campaign?.name),
    utm_term: textOf(campaign?.term),
    utm_content: textOf(campaign?.content),
    ...campaignOf(context),
  });
}

/** Umami: the rows of `website_event` with the columns of `session`, as Umami Cloud exports them and SQL gives them. */
import type { ImportedEvent, NativeRow } from "../imported-event.ts";
import { RefusedRow } from "../imported-event.ts";
import {
  campaignOf,
  compact,
  countryCode,
  deviceWord,
  getText,
  getTime,
  osWord,
  shown,
  textOf,
  urlOf,
  walletOf,
} from "./fields.ts";

/** Umami's own words for browsers. */
const BROWSERS: Readonly<Record<string, string>> = {
  "edge-chromium": "edge",
  "edge-ios": "edge",
  crios: "chrome",
  "chromium-webview": "chrome",
  fxios: "firefox",
  ios: "safari",
  "ios-webview": "safari",
  samsung: "samsung internet",
  "opera-mini": "opera",
};

export function mapUmami(row: NativeRow): ImportedEvent[] {
  const [kind, name] = [getText(row, "event_type"), textOf(row.event_name)];
  if (kind !== "1" && name === "")
    throw new RefusedRow(`event_type is ${shown(kind)} without an event_name; 1 (a page view) or a name was expected`);
  const host = textOf(row.hostname);
  const userId = textOf(row.distinct_id);
  const browser = textOf(row.browser);
  return [
    {
      key: getText(row, "event_id"),
      atMs: getTime(row.created_at, "created_at"),
      type: kind === "1" ? "page" : "track",
      event: kind === "1" ? undefined : name,
      anonymousId: getText(row, "session_id"),
      userId,
      address: walletOf({}, userId),
      context: compact({
        session_id: textOf(row.visit_id),
        page_url: urlOf(host, textOf(row.url_path), textOf(row.url_query)),
        page_path: textOf(row.url_path),
        page_query: textOf(row.url_query),
        page_title: textOf(row.page_title),
        referrer: urlOf(textOf(row.referrer_domain), textOf(row.referrer_path), textOf(row.referrer_query)),
        browser: BROWSERS[browser] ?? browser,
        os: osWord(textOf(row.os)),
        device: deviceWord(textOf(row.device)),
        screen: textOf(row.screen),
        locale: textOf(row.language),
        location: countryCode(textOf(row.country)),
        region: textOf(row.region),
        city: textOf(row.city),
        ...campaignOf(row),
      }),
      properties: compact({ tag: textOf(row.tag) }),
    },
  ];
}

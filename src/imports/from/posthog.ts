/** PostHog: batch exports and file downloads as JSON lines or Parquet, where `properties` is an object or its text. */
import type { Fields, ImportedEvent, NativeRow } from "../imported-event.ts";
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
  selectFields,
  textOf,
  walletOf,
} from "./fields.ts";

/** PostHog's own events that are events here; the others keep their names. */
const TYPES: Readonly<Record<string, string>> = { $pageview: "page", $identify: "identify" };

export function mapPosthog(row: NativeRow): ImportedEvent[] {
  const name = getText(row, "event");
  const native = fieldsOf(row.properties);
  const distinctId = getText(row, "distinct_id");
  const deviceId = textOf(native.$device_id);
  const userId = firstText(native.$user_id, deviceId === "" || deviceId === distinctId ? "" : distinctId);
  const type = TYPES[name] ?? "track";
  return [
    {
      key: getText(row, "uuid"),
      atMs: getTime(row.timestamp, "timestamp"),
      type,
      event: type === "track" ? name : undefined,
      anonymousId: deviceId === "" ? distinctId : deviceId,
      userId,
      address: walletOf(native, userId, distinctId),
      context: contextOf(native),
      properties: ownProperties(native),
    },
  ];
}

function contextOf(native: Fields): Fields {
  const referrer = textOf(native.$referrer);
  return compact({
    session_id: textOf(native.$session_id),
    page_url: textOf(native.$current_url),
    page_path: textOf(native.$pathname),
    page_title: textOf(native.title),
    // PostHog writes this word where there is no referrer.
    referrer: referrer === "$direct" ? "" : referrer,
    user_agent: firstText(native.$raw_user_agent, native.$user_agent),
    browser: textOf(native.$browser).toLowerCase(),
    os: osWord(textOf(native.$os)),
    device: deviceWord(textOf(native.$device_type)),
    timezone: textOf(native.$timezone),
    locale: textOf(native.$browser_language),
    location: countryCode(textOf(native.$geoip_country_code)),
    city: textOf(native.$geoip_city_name),
    library_name: textOf(native.$lib),
    library_version: textOf(native.$lib_version),
    ...campaignOf(native),
  });
}

/** What the app sent: PostHog's own properties begin with `$`, and the campaign is in the context. */
function ownProperties(native: Fields): Fields {
  const campaign = campaignOf(native);
  return selectFields(native, (name) => !name.startsWith("$") && !Object.hasOwn(campaign, name));
}

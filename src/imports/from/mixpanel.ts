/** Mixpanel: the lines of its raw data export, `{ "event": ..., "properties": { ... } }`. */
import type { Fields, ImportedEvent, NativeRow } from "../imported-event.ts";
import {
  campaignOf,
  compact,
  countryCode,
  fieldsOf,
  firstText,
  getText,
  getTime,
  osWord,
  selectFields,
  textOf,
  walletOf,
} from "./fields.ts";

const TYPES: Readonly<Record<string, string>> = { $mp_web_page_view: "page", $identify: "identify" };

/** Mixpanel's own properties beside those that begin with `$` or `mp_`. */
const OWN = new Set(["time", "distinct_id", "current_url_search", "current_page_title", "current_domain"]);

export function mapMixpanel(row: NativeRow): ImportedEvent[] {
  const name = getText(row, "event");
  const native = fieldsOf(row.properties);
  const distinctId = textOf(native.distinct_id);
  const deviceId = firstText(native.$device_id, distinctId.startsWith("$device:") ? distinctId.slice(8) : "");
  const userId = firstText(native.$user_id, deviceId === "" || distinctId.includes(deviceId) ? "" : distinctId);
  const insertId = textOf(native.$insert_id);
  const type = TYPES[name] ?? "track";
  return [
    {
      // An insert id is unique only together with the person and the time.
      key: insertId === "" ? undefined : `${distinctId}.${textOf(native.time)}.${insertId}`,
      atMs: getTime(native.time, "time"),
      type,
      event: type === "track" ? name : undefined,
      anonymousId: deviceId === "" ? distinctId : deviceId,
      userId,
      address: walletOf(native, userId, distinctId),
      context: contextOf(native),
      properties: propertiesOf(native),
    },
  ];
}

function contextOf(native: Fields): Fields {
  const referrer = textOf(native.$referrer);
  return compact({
    session_id: textOf(native.$session_id),
    page_url: textOf(native.$current_url),
    page_title: textOf(native.current_page_title),
    referrer: referrer === "$direct" ? "" : referrer,
    browser: textOf(native.$browser).toLowerCase(),
    os: osWord(textOf(native.$os)),
    location: countryCode(textOf(native.mp_country_code)),
    region: textOf(native.$region),
    city: textOf(native.$city),
    library_name: textOf(native.mp_lib),
    library_version: textOf(native.$lib_version),
    ...campaignOf(native),
  });
}

function propertiesOf(native: Fields): Fields {
  const campaign = campaignOf(native);
  const isOwn = (name: string) =>
    name.startsWith("$") || name.startsWith("mp_") || OWN.has(name) || Object.hasOwn(campaign, name);
  return selectFields(native, (name) => !isOwn(name));
}

/** Amplitude: the lines of its export, a zip of gzip files with one event in a line. */
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

const TYPES: Readonly<Record<string, string>> = {
  "[Amplitude] Page Viewed": "page",
  $identify: "identify",
};
const PREFIX = "[Amplitude] ";

export function mapAmplitude(row: NativeRow): ImportedEvent[] {
  const name = getText(row, "event_type");
  const native = fieldsOf(row.event_properties);
  const userId = textOf(row.user_id);
  const deviceId = firstText(row.device_id, row.amplitude_id);
  const type = TYPES[name] ?? "track";
  return [
    {
      key: firstText(row.uuid, row.$insert_id) || undefined,
      atMs: getTime(row.event_time, "event_time"),
      type,
      event: type === "track" ? name : undefined,
      anonymousId: deviceId,
      userId,
      address: walletOf(native, userId),
      context: contextOf(row, native, deviceId),
      properties: selectFields(native, (key) => !key.startsWith(PREFIX)),
    },
  ];
}

function contextOf(row: NativeRow, native: Fields, deviceId: string): Fields {
  const session = textOf(row.session_id);
  const isWeb = textOf(row.platform) === "Web";
  const device = firstText(row.device_family, row.device_type);
  const people = fieldsOf(row.user_properties);
  return compact({
    // -1 is an event outside of sessions. The number is the time of the session's start, which others may share.
    session_id: session === "" || session === "-1" ? "" : `${deviceId}.${session}`,
    page_url: firstText(native[`${PREFIX}Page Location`], native[`${PREFIX}Page URL`]),
    page_path: textOf(native[`${PREFIX}Page Path`]),
    page_title: textOf(native[`${PREFIX}Page Title`]),
    referrer: firstText(native.referrer, people.referrer),
    // On the web Amplitude calls the browser the system, and the system the device.
    browser: isWeb ? textOf(row.os_name).toLowerCase() : "",
    os: osWord(isWeb ? device : textOf(row.os_name)),
    locale: textOf(row.language),
    location: countryCode(textOf(row.country)),
    region: textOf(row.region),
    city: textOf(row.city),
    library_name: textOf(row.library),
    ...campaignOf(people),
    ...campaignOf(native),
  });
}

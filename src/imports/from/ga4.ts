/** Google Analytics 4: the rows of `events_YYYYMMDD` of its BigQuery export, as JSON lines or Parquet. */
import type { Fields, ImportedEvent, NativeRow } from "../imported-event.ts";
import {
  compact,
  countryCode,
  deviceWord,
  fieldsOf,
  firstText,
  getText,
  getTime,
  osWord,
  textOf,
  walletOf,
} from "./fields.ts";

/** Parameters that have a place of their own in the context. */
const PLACED = new Set([
  "page_location",
  "page_referrer",
  "page_title",
  "ga_session_id",
  "source",
  "medium",
  "campaign",
]);

export function mapGa4(row: NativeRow): ImportedEvent[] {
  const name = getText(row, "event_name");
  const params = paramsOf(row.event_params);
  const [visitor, userId] = [textOf(row.user_pseudo_id), textOf(row.user_id)];
  const session = textOf(params.ga_session_id);
  const isPage = name === "page_view";
  const own = Object.fromEntries(Object.entries(params).filter(([key]) => !PLACED.has(key)));
  return [
    {
      key: keyOf(row),
      atMs: getTime(row.event_timestamp, "event_timestamp"),
      type: isPage ? "page" : "track",
      event: isPage ? undefined : name,
      anonymousId: visitor,
      userId,
      address: walletOf(params, userId),
      // The number of a session is unique only within its visitor.
      context: contextOf(row, params, session === "" ? "" : `${visitor}.${session}`),
      properties: compact({ ...own, revenue: revenueOf(row) }),
    },
  ];
}

/** Older rows lack the order within a batch: they have no key. */
function keyOf(row: NativeRow): string | undefined {
  const batch = ["batch_page_id", "batch_ordering_id", "batch_event_index"].map((field) => textOf(row[field]));
  if (batch.includes("")) return undefined;
  return [row.user_pseudo_id, row.event_timestamp, row.event_name].map(textOf).concat(batch).join(".");
}

function contextOf(row: NativeRow, params: Fields, sessionId: string): Fields {
  const [device, geo] = [fieldsOf(row.device), fieldsOf(row.geo)];
  const web = fieldsOf(device.web_info);
  const traffic = fieldsOf(row.collected_traffic_source);
  return compact({
    session_id: sessionId,
    page_url: textOf(params.page_location),
    page_title: textOf(params.page_title),
    referrer: textOf(params.page_referrer),
    browser: firstText(web.browser, device.browser).toLowerCase(),
    os: osWord(textOf(device.operating_system)),
    device: deviceWord(textOf(device.category)),
    locale: textOf(device.language),
    location: countryCode(textOf(geo.country)),
    region: textOf(geo.region),
    city: textOf(geo.city),
    utm_source: firstText(known(traffic.manual_source), known(params.source)),
    utm_medium: firstText(known(traffic.manual_medium), known(params.medium)),
    utm_campaign: firstText(known(traffic.manual_campaign_name), known(params.campaign)),
    utm_term: known(traffic.manual_term),
    utm_content: known(traffic.manual_content),
    gclid: textOf(traffic.gclid),
  });
}

/** Google's words for what a visit does not have: `(direct)`, `(none)`, `(not set)`, `(organic)`, `(referral)`. */
function known(value: unknown): string {
  const text = textOf(value);
  return /^\(.*\)$/.test(text) ? "" : text;
}

const VALUES = ["string_value", "int_value", "double_value", "float_value"] as const;

/** `[{ key, value: { string_value, int_value, ... } }]`; older Parquet exports have it inside `{ list: [{ element }] }`. */
function paramsOf(value: unknown): Fields {
  const found: Record<string, unknown> = {};
  for (const item of listOf(value)) {
    const inner = fieldsOf(item);
    const { key, value: typed } = fieldsOf(inner.element ?? inner.item ?? inner);
    const values = fieldsOf(typed);
    const name = VALUES.find((kind) => values[kind] !== undefined && values[kind] !== null);
    if (typeof key === "string" && name !== undefined)
      // BigQuery prints whole numbers as texts.
      found[key] = name === "int_value" ? wholeOf(values[name]) : values[name];
  }
  return found;
}

/** As text if a double cannot hold it. */
function wholeOf(value: unknown): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : textOf(value);
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { list } = fieldsOf(value);
  return Array.isArray(list) ? list : [];
}

function revenueOf(row: NativeRow): unknown {
  const paid = fieldsOf(row.ecommerce).purchase_revenue_in_usd;
  return paid ?? row.event_value_in_usd;
}

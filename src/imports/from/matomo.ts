/** Matomo: the visits of `Live.getLastVisitsDetails` as JSON, each with its actions. */
import type { Fields, ImportedEvent, NativeRow } from "../imported-event.ts";
import { RefusedRow } from "../imported-event.ts";
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

/** The name of each type of action that is no page view and has no name of its own. */
const NAMES: Readonly<Record<string, string>> = {
  search: "Site search",
  outlink: "Outbound link",
  download: "Download",
  goal: "Goal",
  ecommerceOrder: "Order",
  ecommerceAbandonedCart: "Abandoned cart",
};

export function mapMatomo(visit: NativeRow): (ImportedEvent | RefusedRow)[] {
  const { actionDetails } = visit;
  if (!Array.isArray(actionDetails)) throw new RefusedRow("it has no list actionDetails");
  const [idVisit, visitorId] = [getText(visit, "idVisit"), getText(visit, "visitorId")];
  const userId = textOf(visit.userId);
  const context = contextOf(visit, idVisit);
  return actionDetails.map((detail, index) => {
    const action = fieldsOf(detail);
    const type = textOf(action.type);
    const isPage = type === "action";
    const atMs = findActionTime(action, index);
    if (atMs instanceof RefusedRow) return atMs;
    return {
      key: `${idVisit}.${index}`,
      atMs,
      type: isPage ? "page" : "track",
      event: isPage ? undefined : nameOf(type, action),
      anonymousId: visitorId,
      userId,
      address: walletOf({}, userId),
      context: compact({
        ...context,
        // How the visit began is told by its first action alone: a later one came from a page of the site.
        ...(index === 0 ? sourceOf(visit) : {}),
        page_url: textOf(action.url),
        page_title: textOf(action.pageTitle),
      }),
      properties: isPage ? {} : propertiesOf(action),
    };
  });
}

/** One action without a time takes nothing from the others of its visit. */
function findActionTime(action: Fields, index: number): number | RefusedRow {
  try {
    return getTime(action.timestamp, `timestamp in actionDetails.${index}`);
  } catch (cause) {
    if (cause instanceof RefusedRow) return cause;
    throw cause;
  }
}

function nameOf(type: string, action: Fields): string {
  const name = type === "event" ? firstText(action.eventAction, action.eventName, action.eventCategory) : NAMES[type];
  return name ?? type;
}

function propertiesOf(action: Fields): Fields {
  return compact({
    category: textOf(action.eventCategory),
    name: textOf(action.eventName),
    value: action.eventValue,
    keyword: textOf(action.siteSearchKeyword),
    goal: textOf(action.goalName),
    order_id: textOf(action.orderId),
    revenue: action.revenue,
  });
}

function contextOf(visit: NativeRow, idVisit: string): Fields {
  const country = textOf(visit.countryCode);
  return {
    session_id: idVisit,
    browser: textOf(visit.browserName).toLowerCase(),
    os: osWord(firstText(visit.operatingSystemName, visit.operatingSystem)),
    device: deviceWord(textOf(visit.deviceType)),
    screen: textOf(visit.resolution),
    locale: textOf(visit.languageCode),
    // Matomo's code of an unknown country.
    location: country === "xx" ? "" : countryCode(country),
    region: textOf(visit.region),
    city: textOf(visit.city),
  };
}

function sourceOf(visit: NativeRow): Fields {
  const isCampaign = visit.referrerType === "campaign";
  return {
    referrer: textOf(visit.referrerUrl),
    utm_source: textOf(visit.campaignSource),
    utm_medium: textOf(visit.campaignMedium),
    utm_content: textOf(visit.campaignContent),
    utm_campaign: firstText(visit.campaignName, isCampaign ? visit.referrerName : ""),
    utm_term: firstText(visit.campaignKeyword, isCampaign ? visit.referrerKeyword : ""),
  };
}

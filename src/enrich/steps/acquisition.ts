import type { Draft, Step } from "../draft.ts";
import type { AcquisitionChannel, EventRow } from "../row.ts";
import type { SourceKind, Sources } from "../sources.ts";
import type { ClickId } from "../tags.ts";
import { findClickId, hasPaidMedium } from "./paid.ts";

const MEDIUMS = {
  email: ["email", "e-mail", "e_mail", "newsletter"],
  referral: ["affiliate", "referral"],
  display: ["display", "banner", "expandable", "interstitial"],
  social: ["social", "social-network", "social-media", "sm"],
  organic: ["organic"],
} as const;
const KINDS_OF_MEDIUM = new Map<string, keyof typeof MEDIUMS>(
  Object.entries(MEDIUMS).flatMap(([kind, mediums]) =>
    mediums.map((medium) => [medium, kind as keyof typeof MEDIUMS] as const),
  ),
);

/**
 * The network behind each click id, under its name in the source lists. TikTok counts as a social network although its
 * posts are videos: people follow people there, and advertisers buy it alongside Meta and X.
 */
const CLICK_NETWORK: Readonly<Record<ClickId, string>> = {
  gclid: "google",
  gad_source: "google",
  fbclid: "facebook",
  msclkid: "bing",
  ttclid: "tiktok",
  twclid: "twitter",
  li_fat_id: "linkedin",
  rdt_cid: "reddit",
};

/**
 * The twelve acquisition channels; the first rule that matches wins. The source is the referring host, otherwise
 * `utm_source`, otherwise the network of the click id: apps send no referrer, and ChatGPT tags its links instead.
 */
export function makePutAcquisition(sources: Sources): Step {
  return function putAcquisition({ row }: Draft): undefined {
    row.acquisition = classify(row, sources);
  };
}

function classify(row: EventRow, sources: Sources): AcquisitionChannel {
  const medium = row.utm_medium === "" ? undefined : KINDS_OF_MEDIUM.get(row.utm_medium.toLowerCase());
  const click = findClickId(row);
  const paid = click !== undefined || hasPaidMedium(row);
  const source = kindOfSource(row, click, sources);

  if (paid && source === "search") return "Paid Search";
  if (paid && source === "video") return "Paid Video";
  if (paid && source === "social") return "Paid Social";
  if (medium === "email" || source === "mail") return "Email";
  if (medium === "referral" || row.ref !== "") return "Referrals";
  if (medium === "display" || source === "ads" || paid) return "Display";
  if (source === "ai") return "AI";
  if (medium === "organic" || source === "search") return "Organic Search";
  if (medium === "social" || source === "social") return "Organic Social";
  if (source === "video") return "Organic Video";
  if (row.referrer !== "" || row.utm_source !== "") return "Referrers";
  return "Direct";
}

function kindOfSource(row: EventRow, click: ClickId | undefined, sources: Sources): SourceKind {
  if (row.referrer !== "") return sources.kindOfHost(row.referrer);
  if (row.utm_source !== "") return sources.kindOfName(row.utm_source);
  return click === undefined ? "unknown" : sources.kindOfName(CLICK_NETWORK[click]);
}

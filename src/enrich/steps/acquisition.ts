import type { Draft, Step } from "../draft.ts";
import type { AcquisitionChannel, EventRow } from "../row.ts";
import type { SourceKind, Sources } from "../sources.ts";
import type { ClickId } from "../tags.ts";
import { findClickId, hasPaidMedium } from "./paid.ts";

const EMAIL_MEDIUMS = new Set(["email", "e-mail", "e_mail", "newsletter"]);
const REFERRAL_MEDIUMS = new Set(["affiliate", "referral"]);
const DISPLAY_MEDIUMS = new Set(["display", "banner", "expandable", "interstitial"]);
const SOCIAL_MEDIUMS = new Set(["social", "social-network", "social-media", "sm"]);

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
  const medium = row.utm_medium.toLowerCase();
  const click = findClickId(row);
  const paid = click !== undefined || hasPaidMedium(row);
  const source = kindOfSource(row, click, sources);

  if (paid && source === "search") return "Paid Search";
  if (paid && source === "video") return "Paid Video";
  if (paid && source === "social") return "Paid Social";
  if (EMAIL_MEDIUMS.has(medium) || source === "mail") return "Email";
  if (REFERRAL_MEDIUMS.has(medium) || row.ref !== "") return "Referrals";
  if (DISPLAY_MEDIUMS.has(medium) || source === "ads" || paid) return "Display";
  if (source === "ai") return "AI";
  if (medium === "organic" || source === "search") return "Organic Search";
  if (SOCIAL_MEDIUMS.has(medium) || source === "social") return "Organic Social";
  if (source === "video") return "Organic Video";
  if (row.referrer !== "" || row.utm_source !== "") return "Referrers";
  return "Direct";
}

function kindOfSource(row: EventRow, click: ClickId | undefined, sources: Sources): SourceKind {
  if (row.referrer !== "") return sources.kindOfHost(row.referrer);
  if (row.utm_source !== "") return sources.kindOfName(row.utm_source);
  return click === undefined ? "unknown" : sources.kindOfName(CLICK_NETWORK[click]);
}

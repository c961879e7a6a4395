/** What campaigns and ad networks add to the address of a page. */

export const UTM_FIELDS = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"] as const;

export const CLICK_IDS = [
  "gclid",
  "gad_source",
  "fbclid",
  "msclkid",
  "ttclid",
  "twclid",
  "li_fat_id",
  "rdt_cid",
] as const;

export type ClickId = (typeof CLICK_IDS)[number];

import type { Draft } from "../draft.ts";
import { CLICK_IDS, UTM_FIELDS } from "../tags.ts";

const SIGNS = ["page_url", "referrer", ...UTM_FIELDS, ...CLICK_IDS] as const;

/** Whether the event can be the first touch of its session: it has a page or a source of the visit. */
export function putTouch({ row }: Draft): undefined {
  for (const sign of SIGNS) {
    if (row[sign] !== "") {
      row.has_touch = 1;
      return;
    }
  }
}

import type { Draft } from "../draft.ts";
import { findClickId } from "./paid.ts";

/** Whether the event can be the first touch of its session: it has a page or a source of the visit. */
export function putTouch({ row }: Draft): undefined {
  const isTagged =
    row.utm_source !== "" ||
    row.utm_medium !== "" ||
    row.utm_campaign !== "" ||
    row.utm_term !== "" ||
    row.utm_content !== "";
  if (row.page_url !== "" || row.referrer !== "" || isTagged || findClickId(row) !== undefined) row.has_touch = 1;
}

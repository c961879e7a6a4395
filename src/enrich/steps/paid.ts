import type { Draft } from "../draft.ts";
import { type EventRow, PAID_SOURCES } from "../row.ts";
import { CLICK_IDS, type ClickId } from "../tags.ts";

const PAID_MEDIUMS = new Set(["cpc", "cpm", "cpv", "cpa", "ppc", "paidsearch", "paidsocial", "sem", "retargeting"]);

type Signals = Pick<EventRow, ClickId | "utm_medium">;

/** Of several click ids the first in the order of the list counts. */
export function findClickId(row: Signals): ClickId | undefined {
  return CLICK_IDS.find((id) => row[id] !== "");
}

export function hasPaidMedium({ utm_medium }: Signals): boolean {
  const medium = utm_medium.toLowerCase();
  return PAID_MEDIUMS.has(medium) || medium.startsWith("paid");
}

export function putPaidSource({ row }: Draft): undefined {
  const click = findClickId(row);
  if (click !== undefined) {
    row.paid_source = PAID_SOURCES[click];
    // It says what kind of ad it was, and names no click.
    if (click !== "gad_source") row.click_id = row[click];
  } else if (row.utm_medium !== "" && hasPaidMedium(row)) row.paid_source = "paid_utm";
}

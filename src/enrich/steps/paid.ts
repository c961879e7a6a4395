import type { Draft } from "../draft.ts";
import { type EventRow, PAID_SOURCES } from "../row.ts";
import type { ClickId } from "../tags.ts";

const PAID_MEDIUMS = new Set(["cpc", "cpm", "cpv", "cpa", "ppc", "paidsearch", "paidsocial", "sem", "retargeting"]);

type Signals = Pick<EventRow, ClickId | "utm_medium">;

/** Of several click ids the first counts. Each is named here: finding them by a name that varies took 0.3 us. */
export function findClickId(row: Signals): ClickId | undefined {
  if (row.gclid !== "") return "gclid";
  if (row.gad_source !== "") return "gad_source";
  if (row.fbclid !== "") return "fbclid";
  if (row.msclkid !== "") return "msclkid";
  if (row.ttclid !== "") return "ttclid";
  if (row.twclid !== "") return "twclid";
  if (row.li_fat_id !== "") return "li_fat_id";
  return row.rdt_cid === "" ? undefined : "rdt_cid";
}

export function hasPaidMedium({ utm_medium }: Signals): boolean {
  if (utm_medium === "") return false;
  const medium = utm_medium.toLowerCase();
  return PAID_MEDIUMS.has(medium) || medium.startsWith("paid");
}

export function putPaidSource({ row }: Draft): undefined {
  const click = findClickId(row);
  if (click !== undefined) {
    row.paid_source = PAID_SOURCES[click];
    // It says what kind of ad it was, and names no click.
    if (click !== "gad_source") row.click_id = row[click];
  } else if (hasPaidMedium(row)) row.paid_source = "paid_utm";
}

/** What is known of an export of days before its sums are written. */
import { createHash } from "node:crypto";
import { DAYS_SOURCE, type DaySum } from "./plausible.ts";

export interface DaysHead {
  /** Names what the export holds. */
  readonly contentId: string;
  /** Each once, in order. */
  readonly days: readonly string[];
  /** The figures of the first days. */
  readonly first: readonly DaySum[];
}

const SHOWN_DAYS = 5;

export function headOf(all: readonly DaySum[]): DaysHead {
  return {
    contentId: contentIdOf(all),
    days: [...new Set(all.map(({ day }) => day))],
    first: all.filter(({ dimension }) => dimension === "total").slice(0, SHOWN_DAYS),
  };
}

/** Of all sums, without a text of all of them: of two million it would have 340 MB. */
function contentIdOf(all: readonly DaySum[]): string {
  const hash = createHash("sha256").update(`[${JSON.stringify(DAYS_SOURCE)},[`);
  all.forEach((sum, nth) => void hash.update(`${nth === 0 ? "" : ","}${JSON.stringify(sum)}`));
  return hash.update("]]").digest("base64url");
}

/**
 * The process that reads an export of days. Its first line is the head, the others have some sums each. `look`: two heads
 * alone, of the totals of days, and of all tables.
 */
import { createHash } from "node:crypto";
import { runReader } from "../read/reader-process.ts";
import type { DaysHead } from "./days-file.ts";
import { DAYS_SOURCE, type DaySum } from "./plausible.ts";
import { readDays } from "./read-days.ts";

const SUMS_IN_A_LINE = 500;
const SHOWN_DAYS = 5;

await runReader(async function* readSums([path = "", what = ""]) {
  // Somebody waits: the days are known long before the last page of the last of them.
  if (what === "look") yield lineOf(headOf(await readDays(path, "totals")));
  const all = await readDays(path);
  yield lineOf(headOf(all));
  for (let from = 0; what !== "look" && from < all.length; from += SUMS_IN_A_LINE)
    yield lineOf({ sums: all.slice(from, from + SUMS_IN_A_LINE) });
});

function lineOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function headOf(all: readonly DaySum[]): DaysHead {
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

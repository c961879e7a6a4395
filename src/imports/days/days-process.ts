/** The process that reads an export of days. Its first line is the head, the others have some sums each. */
import { createHash } from "node:crypto";
import { runReader } from "../read/reader-process.ts";
import type { DaysHead } from "./days-file.ts";
import { DAYS_SOURCE, type DaySum } from "./plausible.ts";
import { readDays } from "./read-days.ts";

const SUMS_IN_A_LINE = 500;
const SHOWN_DAYS = 5;

await runReader(async function* readSums([path = ""]) {
  const all = await readDays(path);
  const head: DaysHead = {
    contentId: contentIdOf(all),
    days: [...new Set(all.map(({ day }) => day))],
    first: all.filter(({ dimension }) => dimension === "total").slice(0, SHOWN_DAYS),
  };
  yield `${JSON.stringify(head)}\n`;
  for (let from = 0; from < all.length; from += SUMS_IN_A_LINE)
    yield `${JSON.stringify({ sums: all.slice(from, from + SUMS_IN_A_LINE) })}\n`;
});

/** Of all sums, without a text of all of them: of two million it would have 340 MB. */
function contentIdOf(all: readonly DaySum[]): string {
  const hash = createHash("sha256").update(`[${JSON.stringify(DAYS_SOURCE)},[`);
  all.forEach((sum, nth) => void hash.update(`${nth === 0 ? "" : ","}${JSON.stringify(sum)}`));
  return hash.update("]]").digest("base64url");
}

/**
 * The process that reads an export of days. Its first line is the head, the others have some sums each. `look`: two heads
 * alone, of the totals of days, and of all tables.
 */
import { runReader } from "../read/reader-process.ts";
import { headOf } from "./days-head.ts";
import { readDays } from "./read-days.ts";

const SUMS_IN_A_LINE = 500;

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

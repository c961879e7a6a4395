/** Which measures a breakdown shows or sorts by, and so has to count. */
import { BREAKDOWN_MEASURES, type BreakdownMeasure } from "../../contract/metric-columns.ts";
import type { Failures } from "../filters/filters.ts";

export interface BreakdownNeeds {
  readonly hasWallets: boolean;
  readonly hasTransacting: boolean;
}

const OF_WALLETS: readonly BreakdownMeasure[] = ["wallets", "revenue_per_wallet"];
const OF_TRANSACTING: readonly BreakdownMeasure[] = ["transacting_wallets", "conversion"];

/** In the order of the answer's columns. Nothing: all. */
export function readMeasures(text: unknown, failures: Failures): readonly BreakdownMeasure[] {
  if (typeof text !== "string" || text === "") return BREAKDOWN_MEASURES;
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => !BREAKDOWN_MEASURES.some((one) => one === name)))
    failures.set("query.measures", `must be a comma-separated list of ${BREAKDOWN_MEASURES.join(", ")}`);
  return BREAKDOWN_MEASURES.filter((name) => names.includes(name));
}

export function needsOf(measures: readonly string[]): BreakdownNeeds {
  const has = (some: readonly string[]) => measures.some((name) => some.includes(name));
  return { hasWallets: has(OF_WALLETS), hasTransacting: has(OF_TRANSACTING) };
}

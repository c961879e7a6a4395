import type { DefinitionName } from "../../format/definitions.ts";
import type { Format } from "../../format/numbers.ts";

/** The headline measures: columns of the report `kpis`. */
export const MEASURES = {
  visitors: { label: "Visitors", format: "count", total: "distinct" },
  sessions: { label: "Sessions", format: "count", total: "sum" },
  pageviews: { label: "Page views", format: "count", total: "sum" },
  wallets: { label: "Wallets", format: "count", total: "distinct" },
  transactions: { label: "Transactions", format: "count", total: "sum" },
  volume: { label: "Volume", format: "amount", total: "sum" },
  revenue: { label: "Revenue", format: "amount", total: "sum" },
  bounce_rate: { label: "Bounce rate", format: "percent", total: "by-session", lowerIsBetter: true },
  avg_session_sec: { label: "Duration", format: "duration", total: "by-session" },
} as const satisfies Record<string, Measure>;

interface Measure {
  label: string;
  format: Format;
  /** How the value of the whole period follows from those of its buckets; `distinct` does not follow. */
  total: "sum" | "distinct" | "by-session";
  lowerIsBetter?: boolean;
}

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** Each measure has a definition of the same name. */
MEASURES satisfies Record<Extract<DefinitionName, MeasureName>, unknown>;

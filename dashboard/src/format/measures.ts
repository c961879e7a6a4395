import type { DefinitionName } from "./definitions.ts";
import type { Format } from "./numbers.ts";

/** The headline measures: columns of the report `kpis`. */
export const MEASURES = {
  visitors: { label: "Visitors", format: "count" },
  sessions: { label: "Sessions", format: "count" },
  pageviews: { label: "Page views", format: "count" },
  wallets: { label: "Wallets", format: "count" },
  transactions: { label: "Transactions", format: "count" },
  volume: { label: "Volume", format: "amount" },
  revenue: { label: "Revenue", format: "amount" },
  bounce_rate: { label: "Bounce rate", format: "percent", lowerIsBetter: true },
  avg_session_sec: { label: "Duration", format: "duration" },
} as const satisfies Record<string, Measure>;

export interface Measure {
  label: string;
  format: Format;
  lowerIsBetter?: boolean;
}

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** Each measure has a definition of the same name. */
MEASURES satisfies Record<Extract<DefinitionName, MeasureName>, unknown>;

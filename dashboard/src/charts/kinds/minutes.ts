import { clockText } from "../../format/dates.ts";
import type { TimeChartProps } from "../drawings.ts";
import type { ChartKind } from "./kind.ts";

/** What is counted per minute. */
export const MINUTE_MEASURES = [
  { value: "visitors", label: "Visitors" },
  { value: "page_views", label: "Page views" },
  { value: "events", label: "Events" },
  { value: "wallets", label: "Wallets" },
] as const;
export type MinuteMeasure = (typeof MINUTE_MEASURES)[number]["value"];

export type MinuteRow = Readonly<Record<MinuteMeasure, number> & { minute: string }>;

/** The last minutes, of `/v0/live`: the last one is not over. */
export const MINUTES_KIND: ChartKind<MinuteRow, TimeChartProps, { measure: MinuteMeasure }> = {
  needs: ["project_id"],
  drawing: (rows, { look: { measure } }) => ({
    label: `${MINUTE_MEASURES.find(({ value }) => value === measure)?.label ?? ""} per minute`,
    bars: true,
    height: 180,
    format: "count",
    points: rows.map((row, index) => ({
      label: clockText(Date.parse(row.minute)),
      axis: `−${rows.length - 1 - index} min`,
      value: row[measure],
      partial: index === rows.length - 1,
    })),
  }),
  table: (rows) => ({
    columns: [
      { key: "minute", label: "Minute (UTC)" },
      ...MINUTE_MEASURES.map(({ value, label }) => ({ key: value, label, format: "count" as const })),
    ],
    rows,
  }),
  isEmpty: () => false,
  skeleton: 5,
};

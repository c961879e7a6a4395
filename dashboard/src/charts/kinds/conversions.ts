import { bucketText, shortDayText } from "../../format/dates.ts";
import { addDays, countDays, dayMs } from "../../format/days.ts";
import { askedRange } from "../../format/range.ts";
import { zoneName } from "../../format/zone.ts";
import type { TimeChartProps } from "../drawings.ts";
import type { FunnelRow } from "../funnel-row.ts";
import type { TimePoint } from "../time-point.ts";
import { type ChartContext, type ChartKind, type Part, VIEW } from "./kind.ts";

/** One request for each point: a few are enough to see a direction. */
const MOST_POINTS = 8;

function pointsOf(rows: readonly Part<FunnelRow>[], { today }: ChartContext<object>): TimePoint[] {
  const parts = rows.map((part) => ({ ...part, ...askedRange(part.asked) }));
  const isDaily = parts[0]?.from === parts[0]?.to;
  return parts.map((part) => {
    const { from, to } = part;
    return {
      label: isDaily ? bucketText(dayMs(from), "day") : `${shortDayText(from)} – ${shortDayText(to)}`,
      axis: shortDayText(from),
      start: from,
      value: part.rows.at(-1)?.conversion_from_start ?? null,
      partial: to >= today,
    };
  });
}

/** The share that goes all the way, over time: the report `funnel` for parts of the period. */
export const CONVERSIONS_KIND: ChartKind<Part<FunnelRow>, TimeChartProps, object> = {
  needs: VIEW,
  parts: (asked) => {
    const { from, to } = askedRange(asked);
    const days = countDays(from, to);
    const step = Math.max(1, Math.ceil(days / MOST_POINTS));
    return Array.from({ length: Math.ceil(days / step) }, (_, index) => {
      const start = addDays(from, index * step);
      return { date_from: start, date_to: [addDays(start, step - 1), to].sort()[0] ?? to };
    });
  },
  drawing: (rows, context) => ({
    label: "Share that goes all the way",
    points: pointsOf(rows, context),
    format: "percent",
    height: 180,
  }),
  table: (rows, context) => ({
    columns: [
      { key: "label", label: `Time (${zoneName()})`, csvKey: "start" },
      { key: "value", label: "Go all the way", format: "percent" },
    ],
    rows: pointsOf(rows, context),
  }),
  isEmpty: (rows, context) => pointsOf(rows, context).every(({ value }) => value === null),
  skeleton: 5,
};

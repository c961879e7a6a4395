import type { FunnelStep, ShareOf } from "../drawings.ts";
import type { FunnelRow } from "../funnel-row.ts";
import { type ChartContext, type ChartKind, VIEW } from "./kind.ts";

interface FunnelLook {
  /** The names of the steps, where those of the events do not do. */
  labels?: readonly string[];
  of?: ShareOf;
}

const labelOf = ({ look }: ChartContext<FunnelLook>, row: FunnelRow, index: number) =>
  look.labels?.[index] ?? row.event;

/** How many get from one step to the next, and how long it takes: the report `funnel`. */
export const FUNNEL_KIND: ChartKind<FunnelRow, { steps: readonly FunnelStep[]; of?: ShareOf }, FunnelLook> = {
  needs: VIEW,
  drawing: (rows, context) => ({
    ...(context.look.of === undefined ? {} : { of: context.look.of }),
    steps: rows.map((row, index) => ({
      label: labelOf(context, row, index),
      count: row.users,
      fromPrevious: row.conversion_from_previous,
      fromStart: row.conversion_from_start,
      medianSeconds: row.median_seconds_from_previous,
    })),
  }),
  table: (rows, context) => ({
    columns: [
      { key: "label", label: "Step" },
      { key: "users", label: "Visitors", format: "count" },
      { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
      { key: "conversion_from_start", label: "Of the first step", format: "percent" },
      { key: "median_seconds_from_previous", label: "Median time", format: "duration" },
      { key: "median_seconds_from_start", label: "Median time from the start", format: "duration" },
    ],
    rows: rows.map((row, index) => ({ ...row, label: labelOf(context, row, index) })),
  }),
  isEmpty: ([first]) => (first?.users ?? 0) === 0,
  skeleton: "funnel-skeleton",
};

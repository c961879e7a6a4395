import type { FlowChartProps } from "../drawings.ts";
import { type FlowRow, nodeLabel } from "../flow-data.ts";
import { type ChartKind, VIEW } from "./kind.ts";

/** What visitors do next: the report `flow`. */
export const FLOW_KIND: ChartKind<FlowRow, FlowChartProps, object> = {
  needs: VIEW,
  drawing: (rows) => ({ rows }),
  table: (rows) => ({
    columns: [
      { key: "step", label: "Step", format: "count" },
      { key: "source", label: "From" },
      { key: "target", label: "To" },
      { key: "transitions", label: "Visitors", format: "count" },
      { key: "percentage", label: "% of the step" },
    ],
    rows: rows.map((row) => ({ ...row, source: nodeLabel(row.source), target: nodeLabel(row.target) })),
  }),
  isEmpty: (rows) => rows.every(({ target }) => target === ""),
  skeleton: "flow-skeleton",
};

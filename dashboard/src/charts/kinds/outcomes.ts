import { OUTCOMES, type OutcomeRow } from "../drawings.ts";
import type { ChartKind } from "./kind.ts";

/** What happened to the events of each step of time: the series of `/v0/ingest`. */
export const OUTCOMES_KIND: ChartKind<OutcomeRow, { series: readonly OutcomeRow[] }, object> = {
  needs: ["project_id"],
  drawing: (series) => ({ series }),
  table: (rows) => ({
    columns: [
      { key: "at", label: "From" },
      ...["received", ...OUTCOMES].map((key) => ({ key, label: key, format: "count" as const })),
    ],
    rows,
  }),
  isEmpty: () => false,
  skeleton: 5,
};

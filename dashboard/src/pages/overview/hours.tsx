import type { ChartSpec } from "../../charts/registry.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";

const SPEC: ChartSpec<"hours"> = {
  type: "hours",
  report: "heatmap",
  title: "Hours of the week",
  note: "sessions",
  counted: "hours",
  look: {},
};

/** When people come: hours of the week in the zone of the project. */
export function Hours() {
  return <ReportPanel spec={SPEC} />;
}

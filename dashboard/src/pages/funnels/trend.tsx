import type { Asked } from "../../format/range.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { useView } from "../../state/view.ts";

/** The share that goes all the way, over time. */
export function FunnelTrend({ params }: { params: Asked }) {
  const { range } = useView();
  // A day has no parts.
  if (range.from === range.to) return null;
  return (
    <ReportPanel<"conversions">
      spec={{
        type: "conversions",
        report: "funnel",
        params,
        title: "Conversion over time",
        counted: "funnel",
        look: {},
      }}
    />
  );
}

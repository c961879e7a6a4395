import type { ReactNode } from "react";
import { tellApart } from "../../../../src/contract/segment-names.ts";
import { useSegments } from "../../api/segments.ts";
import { COMPARED } from "../../charts/kinds/segments.ts";
import { MEASURES, type MeasureName } from "../../format/measures.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { filtersParameter } from "../../state/filters.ts";
import { useView } from "../../state/view.ts";
import { Skeleton } from "../../ui/states.tsx";

interface SegmentTrendProps {
  measure: MeasureName;
  ids: readonly string[];
  actions: ReactNode;
  menuStart: ReactNode;
}

/** The headline number over time for each of some segments. */
export function SegmentTrend({ measure, ids, actions, menuStart }: SegmentTrendProps) {
  const { project, segment, filters, interval } = useView();
  const { data: segments, isPending } = useSegments(project);
  const { label } = MEASURES[measure];
  if (isPending) return <Skeleton rows={8} />;
  const titleOf = (id: string) => segments?.find((one) => one.id === id)?.title ?? id;
  const titles = tellApart(ids.map(titleOf));
  // A report takes one segment: that of the page is its conditions.
  const own = JSON.parse(filtersParameter(filters) ?? "[]") as unknown[];
  const all = [...own, ...(segments?.find(({ id }) => id === segment)?.filters ?? [])];
  const within = segment === undefined ? {} : { filters: JSON.stringify(all) };
  return (
    <ReportPanel<"segments">
      spec={{
        type: "segments",
        report: "kpis",
        title: `${label} by segment`,
        counted: measure,
        params: { [COMPARED]: ids.join(","), ...within },
        look: { measure, segments: ids.map((id, nth) => ({ id, title: titles[nth] ?? id })) },
      }}
      isFirst
      head={
        <h2>
          {label} <span className="light">per {interval}, by segment</span>
        </h2>
      }
      className="trend"
      actions={actions}
      menuStart={menuStart}
    />
  );
}

import type { ReactNode } from "react";
import { tellApart } from "../../../../src/contract/segment-names.ts";
import { RequestFailed } from "../../api/failure.ts";
import { useSegments } from "../../api/segments.ts";
import { COMPARED } from "../../charts/kinds/segments.ts";
import { MEASURES, type MeasureName } from "../../format/measures.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { useView } from "../../state/view.ts";
import { conditionsWithin } from "../../state/within-segment.ts";
import { Failure, Skeleton } from "../../ui/states.tsx";

interface SegmentTrendProps {
  measure: MeasureName;
  ids: readonly string[];
  actions: ReactNode;
  menuStart: ReactNode;
}

/** As the service says it: the page then offers to go on without the segment. */
const NO_SEGMENT = new RequestFailed(404, "NOT_FOUND", "There is no such segment", { param: "query.segment" });

/** The headline number over time for each of some segments. */
export function SegmentTrend({ measure, ids, actions, menuStart }: SegmentTrendProps) {
  const { project, segment, filters, interval } = useView();
  const { data: segments, isPending, error, refetch } = useSegments(project);
  const { label } = MEASURES[measure];
  if (isPending) return <Skeleton rows={8} />;
  // A report takes one segment: that of the page is its conditions.
  const all = conditionsWithin(filters, segment, segments);
  if (segments === undefined || all === undefined) {
    return (
      <section className="panel trend" aria-label={`${label} by segment`}>
        <Failure
          failure={segments === undefined ? error : NO_SEGMENT}
          onRetry={segments === undefined ? () => void refetch() : undefined}
        />
      </section>
    );
  }
  const titles = tellApart(ids.map((id) => segments.find((one) => one.id === id)?.title ?? id));
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

import { Component, type ComponentType, type ReactNode, Suspense } from "react";
import type { ChartFields } from "../api/boards.ts";
import type { AnyRow } from "../charts/any-row.ts";
import type { ChartContext } from "../charts/kinds/kind.ts";
import { type ChartType, chartOf } from "../charts/registry.ts";
import { toDay } from "../format/days.ts";
import type { Asked } from "../format/range.ts";
import { DataTable } from "../ui/data-table.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Empty, Failure, Skeleton } from "../ui/states.tsx";
import { drawnChart, readableRows } from "./saved-chart.ts";

export interface Answer {
  rows: readonly AnyRow[];
  /** The days that the rows are of. */
  asked: Asked;
}

interface ChartAnswerProps {
  chart: ChartFields;
  /** Undefined: on its way. */
  answer: Answer | undefined;
  asTable?: boolean;
}

/** A chart of a board and its answer in; waiting, nothing to show, table and drawing out. It needs no session. */
export function ChartAnswer(props: ChartAnswerProps) {
  return (
    <Boundary>
      <Drawn {...props} />
    </Boundary>
  );
}

function Drawn({ chart, answer, asTable }: ChartAnswerProps) {
  const { spec, params } = drawnChart(chart);
  const kind = chartOf<ChartType>(spec.type);
  const skeleton =
    typeof kind.skeleton === "number" ? <Skeleton rows={kind.skeleton} /> : <div className={kind.skeleton} />;
  if (answer === undefined) return skeleton;
  const rows = readableRows(chart, spec.type, answer.rows) as never;
  const nowMs = Date.now();
  const asked = { ...params, ...answer.asked };
  // The compiler cannot see that a type and its look belong together once its name is a variable.
  const context = { look: spec.look, asked, today: toDay(nowMs), nowMs } as ChartContext<never>;
  if (kind.isEmpty(rows, context)) return <Empty title="Nothing in these days" />;
  if (asTable) return <DataTable table={kind.table(rows, context)} label={chart.title} />;
  const Chart = kind.Chart as ComponentType<object>;
  const drawing = <Chart {...(kind.drawing(rows, context) as object)} />;
  return (
    <Suspense fallback={skeleton}>
      {kind.scrolls === undefined ? (
        drawing
      ) : (
        <ScrollRegion label={`${chart.title}, ${kind.scrolls}`} className="table-scroll keys">
          {drawing}
        </ScrollRegion>
      )}
    </Suspense>
  );
}

/** What another program has saved may be drawn as nothing that this page knows: the other charts are drawn. */
class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <Failure failure={new Error("This chart cannot be drawn as it was saved.")} />;
  }
}

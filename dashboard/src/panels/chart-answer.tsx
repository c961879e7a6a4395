import type { ChartFields } from "../api/boards.ts";
import type { AnyRow } from "../charts/any-row.ts";
import type { ChartContext } from "../charts/kinds/kind.ts";
import { type ChartType, chartOf } from "../charts/registry.ts";
import { toDay } from "../format/days.ts";
import type { Asked } from "../format/range.ts";
import { wallNow } from "../format/zone.ts";
import { DataTable } from "../ui/data-table.tsx";
import { DrawingBoundary } from "../ui/drawing-boundary.tsx";
import { Empty } from "../ui/states.tsx";
import { ChartDrawing, ChartSkeleton } from "./chart-drawing.tsx";
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
    <DrawingBoundary version={[props.answer, props.asTable]}>
      <Answered {...props} />
    </DrawingBoundary>
  );
}

function Answered({ chart, answer, asTable }: ChartAnswerProps) {
  const { spec, params } = drawnChart(chart);
  const kind = chartOf<ChartType>(spec.type);
  if (answer === undefined) return <ChartSkeleton type={spec.type} />;
  const rows = readableRows(chart, spec.type, answer.rows) as never;
  const nowMs = wallNow();
  const asked = { ...params, ...answer.asked };
  // The compiler cannot see that a type and its look belong together once its name is a variable.
  const context = { look: spec.look, asked, today: toDay(nowMs), nowMs } as ChartContext<never>;
  if (kind.isEmpty(rows, context)) return <Empty title="Nothing in these days" />;
  if (asTable) return <DataTable table={kind.table(rows, context)} label={chart.title} />;
  return <ChartDrawing<ChartType> spec={spec} rows={rows} context={context} isOfBoard />;
}

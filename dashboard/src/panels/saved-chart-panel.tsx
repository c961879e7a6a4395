import type { SavedChart } from "../api/boards.ts";
import type { ChartContext } from "../charts/kinds/kind.ts";
import { type ChartType, chartOf } from "../charts/registry.ts";
import type { Format } from "../format/numbers.ts";
import { wallNow } from "../format/zone.ts";
import { useView } from "../state/view.ts";
import { Change } from "../ui/change.tsx";
import { type ChartFrame, ChartPanel } from "./chart-panel.tsx";
import { type Drawing, withLineBefore } from "./days-before.ts";
import { measureOf } from "./number-label.ts";
import { drawnChart } from "./saved-chart.ts";
import { type AskedSavedChart, useSavedChart } from "./use-saved-chart.ts";

interface SavedChartPanelProps extends Pick<ChartFrame<ChartType>, "head" | "actions" | "menuStart" | "menuEnd"> {
  chart: SavedChart;
  /** Of the drawing, where it is not that of the board. */
  height?: number;
}

/** A chart of a board: its answer for the days and filters of the page, with the change against the days before. */
export function SavedChartPanel({ chart, height, ...frame }: SavedChartPanelProps) {
  const answer = useSavedChart(chart);
  const { spec } = drawnChart(answer.chart, height);
  const withDrawing = useChanges({ ...answer, spec });
  return (
    <ChartPanel<ChartType>
      {...frame}
      className={`board-chart drawn-${spec.type}`}
      chart={{ ...answer, spec: { ...spec, title: chart.title } }}
      isOfBoard
      withDrawing={withDrawing as never}
    />
  );
}

/** What the days before add to a drawing. */
function useChanges({ spec, asked, before, whole, compared }: AskedSavedChart): (drawing: Drawing) => Drawing {
  const { today, firstDay } = useView();
  const kind = chartOf<ChartType>(spec.type);
  const context = { look: spec.look, asked, today, nowMs: wallNow(), firstDay };
  const draw = (rows: readonly unknown[] | undefined, days?: object) =>
    kind.drawing((rows ?? []) as never, { ...context, asked: { ...asked, ...days } } as ChartContext<never>) as Drawing;
  return (drawing) => {
    if (spec.type === "number") {
      const [now, then] = before === undefined ? [] : [draw(whole), draw(before)];
      const change = <NumberChange now={now?.value} before={then?.value} drawing={drawing} />;
      return { ...drawing, change };
    }
    if (before === undefined || before.length === 0 || compared === undefined) return drawing;
    // Few rows may say another step than many.
    const step = drawing.filledBy === undefined ? {} : { interval: drawing.filledBy };
    const days = { date_from: compared.from, date_to: compared.to, ...step };
    const most = typeof asked.limit === "number" ? asked.limit : 0;
    return withBefore(spec.type, drawing, { now: draw(whole), before: draw(before, days), from: compared.from, most });
  };
}

interface Named {
  key?: string;
  name?: string;
  value?: number | null;
  count?: number;
  label?: string;
  values?: readonly (number | null)[];
}

interface Days {
  now: Drawing;
  before: Drawing;
  /** The first of the days before. */
  from: string;
  /** The most rows of a list. */
  most: number;
}

function withBefore(type: ChartType, drawing: Drawing, { now, before, from, most }: Days): Drawing {
  const list = (of: Drawing, name: string) => (of[name] ?? []) as readonly Named[];
  const format = (drawing.format ?? "count") as Format;
  switch (type as string) {
    case "ranked": {
      const byKey = (of: Drawing) => new Map(list(of, "rows").map((row) => [row.key, row.value ?? null]));
      const [nows, befores] = [byKey(now), byKey(before)];
      // A list that was not cut has all there was: what is not in it was nothing.
      const absent = befores.size < most ? 0 : null;
      const rows = list(drawing, "rows").map((row) => ({
        ...row,
        change: <Change now={nows.get(row.key) ?? null} before={befores.get(row.key) ?? absent} format={format} />,
      }));
      return { ...drawing, rows };
    }
    case "funnel": {
      const [nows, befores] = [list(now, "steps"), list(before, "steps")];
      const steps = list(drawing, "steps").map((step, index) => ({
        ...step,
        change: <Change now={nows[index]?.count ?? null} before={befores[index]?.count ?? null} format="count" />,
      }));
      return { ...drawing, steps };
    }
    case "trend": {
      const earlier = list(before, "points");
      const points = list(drawing, "points").map((point, index) => ({
        ...point,
        previous: earlier[index]?.value ?? undefined,
        previousLabel: earlier[index]?.label,
      }));
      return { ...drawing, points };
    }
    default:
      return withLineBefore(drawing, before, from);
  }
}

function NumberChange({ now, before, drawing }: { now: unknown; before: unknown; drawing: Drawing }) {
  if (typeof now !== "number" || typeof before !== "number") return null;
  const lowerIsBetter = measureOf(drawing.name)?.lowerIsBetter ?? false;
  const format = (drawing.format ?? "number") as Format;
  return <Change now={now} before={before} format={format} lowerIsBetter={lowerIsBetter} />;
}

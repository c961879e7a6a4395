import { TimeChart } from "../../charts/time-chart.tsx";
import { dayMs, toDay } from "../../state/days.ts";
import { type Interval, intervalsFor } from "../../state/period.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { NotesButton, useNotes } from "./annotations.tsx";
import { bucketStarts, kpiPoints } from "./kpis.ts";
import { MEASURES, type MeasureName } from "./measures.ts";
import type { useKpis } from "./use-kpis.ts";

const INTERVAL_LABELS: Readonly<Record<Interval, string>> = {
  hour: "Hours",
  day: "Days",
  week: "Weeks",
  month: "Months",
};

interface TrendProps {
  kpis: ReturnType<typeof useKpis>;
  measure: MeasureName;
  bars: boolean;
}

export function Trend({ kpis, measure, bars }: TrendProps) {
  const view = useView();
  const set = useSetSearch();
  const { label, format } = MEASURES[measure];
  const { range, compared, interval } = kpis.buckets;
  const { firstDay } = view;
  const points = kpiPoints(kpis.rows, measure, { range, compared, interval, nowMs: Date.now(), firstDay });
  const zoom = (from: number, to: number) => {
    const starts = bucketStarts(range, interval);
    const [first, last] = [starts[from] ?? 0, (starts[to + 1] ?? Number.POSITIVE_INFINITY) - 1];
    // The first week or month may begin before the period.
    const start = [toDay(first), range.from].sort().at(-1);
    const end = Number.isFinite(last) ? toDay(last) : range.to;
    if (start === range.from && end === range.to) return;
    set({ period: "custom", from: start, to: end, interval: undefined });
  };
  const intervals = intervalsFor(view.range);
  const notes = useNotes();
  const starts = bucketStarts(range, interval);
  return (
    <Panel
      title={`${label} over time`}
      head={
        <h2>
          {label} <span className="light">per {interval}</span>
        </h2>
      }
      className="trend"
      request={kpis.request}
      query={kpis.series}
      counted={measure}
      skeleton={<div className="chart-skeleton" />}
      actions={
        <>
          <NotesButton notes={notes} />
          {intervals.length > 1 ? (
            <Segmented
              label="Step of the chart"
              options={intervals.map((value) => ({ value, label: INTERVAL_LABELS[value] }))}
              value={view.interval}
              onChange={(value) => set({ interval: value })}
            />
          ) : null}
          <button
            type="button"
            className="button ghost square"
            aria-label={bars ? "Show a line" : "Show bars"}
            onClick={() => set({ chart: bars ? undefined : "bars" })}
          >
            <Icon name={bars ? "chart" : "overview"} />
          </button>
        </>
      }
      table={{
        columns: [
          { key: "label", label: "Time (UTC)", csvKey: "start" },
          { key: "value", label, format },
          ...(compared
            ? [
                { key: "previousLabel", label: "Compared with", csvKey: "previousStart" },
                { key: "previous", label: `${label} before`, format },
              ]
            : []),
        ],
        rows: points.map((point) => ({ ...point })),
      }}
    >
      <TimeChart
        label={`${label} per ${interval}`}
        points={points}
        format={format}
        bars={bars}
        onZoom={points.length > 1 ? zoom : undefined}
        annotations={notes.map(({ date, note }) => ({
          // The last bucket that begins on or before the day.
          index: Math.max(
            0,
            starts.findLastIndex((start) => start <= dayMs(date)),
          ),
          text: note,
        }))}
      />
    </Panel>
  );
}

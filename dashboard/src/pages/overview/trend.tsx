import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { MOST_COMPARED } from "../../../../src/contract/segment-names.ts";
import { bucketStarts } from "../../charts/kpi-points.ts";
import { dayMs, toDay } from "../../format/days.ts";
import { MEASURES, type MeasureName } from "../../format/measures.ts";
import type { Interval } from "../../format/range.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { intervalsFor } from "../../state/period.ts";
import { type RawSearch, texts } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { NotesButton, useNotes } from "./annotations.tsx";
import type { useKpis } from "./use-kpis.ts";

const SegmentTrend = lazy(async () => ({ default: (await import("./segment-trend.tsx")).SegmentTrend }));
const CompareSegments = lazy(async () => ({ default: (await import("./compare-segments.tsx")).CompareSegments }));

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
  const set = useSetSearch();
  const { label } = MEASURES[measure];
  const { range, interval } = kpis.buckets;
  const starts = bucketStarts(range, interval);
  const notes = useNotes();
  const compared = useCompared();
  const zoom = (from: number, to: number) => {
    const [first, last] = [starts[from] ?? 0, (starts[to + 1] ?? Number.POSITIVE_INFINITY) - 1];
    // The first week or month may begin before the period.
    const start = [toDay(first), range.from].sort().at(-1);
    const end = Number.isFinite(last) ? toDay(last) : range.to;
    if (start === range.from && end === range.to) return;
    set({ period: "custom", from: start, to: end, interval: undefined });
  };
  const annotations = notes.map(({ date, note }) => ({
    // The last bucket that begins on or before the day.
    index: Math.max(
      0,
      starts.findLastIndex((start) => start <= dayMs(date)),
    ),
    text: note,
  }));
  const shared = { menuStart: compared.command, actions: <TrendActions notes={notes} bars={bars} /> };
  if (compared.ids.length > 1) {
    const actions = <TrendActions notes={notes} />;
    return (
      <Suspense fallback={<div className="panel trend chart-skeleton" />}>
        <SegmentTrend {...shared} actions={actions} measure={measure} ids={compared.ids} />
        {compared.dialog}
      </Suspense>
    );
  }
  return (
    <>
      <ReportPanel<"trend">
        spec={{
          type: "trend",
          report: "kpis",
          title: `${label} over time`,
          counted: measure,
          look: { measure, bars },
        }}
        isFirst
        head={
          <h2>
            {label} <span className="light">per {interval}</span>
          </h2>
        }
        className="trend"
        {...shared}
        withDrawing={(drawing) => ({
          ...drawing,
          onZoom: drawing.points.length > 1 ? zoom : undefined,
          annotations,
        })}
      />
      {compared.dialog}
    </>
  );
}

/** The segments of the URL that the trend compares, and the command that chooses them. */
function useCompared() {
  const search = useSearch({ strict: false }) as RawSearch;
  const set = useSetSearch();
  const [isOpen, setOpen] = useState(false);
  const ids = [...new Set(texts(search.segments))].slice(0, MOST_COMPARED);
  return {
    ids,
    command: (
      <>
        <MenuItem icon="user" onSelect={() => setOpen(true)}>
          Compare segments
        </MenuItem>
        {ids.length > 1 ? (
          <MenuItem icon="close" onSelect={() => set({ segments: undefined })}>
            Stop comparing segments
          </MenuItem>
        ) : null}
      </>
    ),
    dialog: isOpen ? (
      <Suspense fallback={null}>
        <CompareSegments
          chosen={ids}
          onChoose={(chosen) => set({ segments: chosen.length < 2 ? undefined : [...chosen] })}
          onClose={() => setOpen(false)}
        />
      </Suspense>
    ) : null,
  };
}

function TrendActions({ notes, bars }: { notes: ReturnType<typeof useNotes>; bars?: boolean }) {
  const view = useView();
  const set = useSetSearch();
  const intervals = intervalsFor(view.range);
  return (
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
      {bars === undefined ? null : (
        <button
          type="button"
          className="button ghost square"
          aria-label={bars ? "Show a line" : "Show bars"}
          onClick={() => set({ chart: bars ? undefined : "bars" })}
        >
          <Icon name={bars ? "chart" : "overview"} />
        </button>
      )}
    </>
  );
}

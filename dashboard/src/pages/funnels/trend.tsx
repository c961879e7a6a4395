import { useQueries } from "@tanstack/react-query";
import type { Query } from "../../api/client.ts";
import { reportOptions, reportRequest } from "../../api/reports.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { bucketText, shortDayText } from "../../format/dates.ts";
import { addDays, countDays, dayMs } from "../../state/days.ts";
import { useView } from "../../state/view.ts";
import { Panel } from "../../ui/panel.tsx";
import type { FunnelRow } from "./fold-groups.ts";

/** One request for each point: a few are enough to see a direction. */
const MOST_POINTS = 8;

/** The share that goes all the way, over time: the same funnel for parts of the period. */
export function FunnelTrend({ query: common }: { query: Query }) {
  const { range, today } = useView();
  const days = countDays(range.from, range.to);
  const step = Math.max(1, Math.ceil(days / MOST_POINTS));
  const starts = Array.from({ length: Math.ceil(days / step) }, (_, index) => addDays(range.from, index * step));
  const parts = starts.map((from) => {
    const ends = [addDays(from, step - 1), range.to].sort();
    return { from, to: ends[0] ?? range.to };
  });
  const requests = parts.map(({ from, to }) => reportRequest("funnel", { ...common, date_from: from, date_to: to }));
  const queries = useQueries({ queries: requests.map((request) => reportOptions<FunnelRow>(request)) });
  if (parts.length < 2) return null;
  const points = parts.map(({ from, to }, index) => {
    const last = queries[index]?.data?.data.at(-1);
    return {
      label: step === 1 ? bucketText(dayMs(from), "day") : `${shortDayText(from)} – ${shortDayText(to)}`,
      axis: shortDayText(from),
      start: from,
      value: last?.conversion_from_start ?? null,
      partial: to >= today,
    };
  });
  const waiting = queries.some(({ isPending }) => isPending);
  return (
    <Panel
      title="Conversion over time"
      request={requests}
      query={{
        isPending: waiting,
        isFetching: waiting,
        isPlaceholderData: false,
        fetchStatus: waiting ? "fetching" : "idle",
        error: queries.find(({ error }) => error)?.error ?? null,
        refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
      }}
      counted="funnel"
      isEmpty={points.every(({ value }) => value === null)}
      table={{
        columns: [
          { key: "label", label: "Time (UTC)", csvKey: "start" },
          { key: "value", label: "Go all the way", format: "percent" },
        ],
        rows: points,
      }}
    >
      <TimeChart label="Share that goes all the way" points={points} format="percent" height={180} />
    </Panel>
  );
}

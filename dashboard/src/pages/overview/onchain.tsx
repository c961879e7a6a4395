import type { ApiRequest, Query } from "../../api/client.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import type { FunnelRow } from "../../charts/funnel-row.ts";
import type { ChartSpec } from "../../charts/registry.ts";
import type { Range } from "../../format/range.ts";
import type { TableColumn } from "../../format/table.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { useChart } from "../../panels/use-chart.ts";
import { useView } from "../../state/view.ts";
import { Change } from "../../ui/change.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { Empty } from "../../ui/states.tsx";

const STEPS: readonly { type: string; event?: string; name: string; label: string; icon: IconName }[] = [
  { type: "event", event: "page", name: "page::0", label: "Visit", icon: "overview" },
  { type: "event", event: "connect", name: "connect::1", label: "Wallet connected", icon: "key" },
  { type: "signature", name: "signature::2", label: "Signature", icon: "edit" },
  { type: "transaction", name: "transaction::3", label: "Transaction", icon: "check" },
];

/** Long enough for people who come back to finish. */
const WINDOW_SECONDS = 14 * 86_400;

const FUNNEL = {
  steps: JSON.stringify(STEPS.map(({ type, event, name }) => ({ type, event, name }))),
  window_seconds: WINDOW_SECONDS,
};

function stripRequest(query: Query, { from, to }: Range): ApiRequest {
  return reportRequest("funnel", {
    ...query,
    date_from: from,
    date_to: to,
    ...FUNNEL,
  });
}

/**
 * The strip of the whole days, and of those to compare with: asked after the strip itself. Steps after the days do not
 * count: those who came earlier have had more time for them, and every strip would seem to fall.
 */
function useStripChanges(enabled: boolean): readonly { now: number; before: number }[] {
  const { query, comparable, range } = useView();
  const days = typeof comparable === "object" ? comparable : undefined;
  const isAsked = enabled && days !== undefined;
  const compared = (of: Range) => stripRequest({ ...query, within_dates: true }, of);
  const now = useReport<FunnelRow>(compared(days?.range ?? range), isAsked);
  const before = useReport<FunnelRow>(compared(days?.compared ?? range), isAsked);
  if (!isAsked || now.isPlaceholderData || before.isPlaceholderData || !now.data || !before.data) return [];
  const earlier = before.data.data;
  return now.data.data.map(({ users }, index) => ({ now: users, before: earlier[index]?.users ?? 0 }));
}

const SPEC: ChartSpec<"funnel"> = {
  type: "funnel",
  report: "funnel",
  params: FUNNEL,
  title: "From visit to transaction",
  counted: "funnel",
  look: { labels: STEPS.map(({ label }) => label) },
};

/** From a visit to a transaction, under the filters of the page. */
export function Onchain({ hasSessions }: { hasSessions: boolean }) {
  const chart = useChart(SPEC);
  const changes = useStripChanges(chart.isCurrent);
  return (
    <ChartPanel
      chart={chart}
      className="onchain"
      empty={hasSessions ? <Empty title="No page views">The strip starts with one.</Empty> : undefined}
      withDrawing={({ steps }) => ({
        steps: steps.map((step, index) => ({
          ...step,
          icon: <Icon name={STEPS[index]?.icon ?? "check"} />,
          change: changes[index] && <Change {...changes[index]} format="count" />,
        })),
      })}
      withTable={({ columns, rows }) => ({
        columns: [
          ...columns.flatMap((column) => stripColumn(column)),
          ...(changes.length > 0
            ? ([
                { key: "whole", label: "Visitors, whole days", format: "count" },
                { key: "before", label: "Visitors, before", format: "count" },
              ] as const)
            : []),
        ],
        rows: rows.map((row, index) => ({ ...row, whole: changes[index]?.now, before: changes[index]?.before })),
      })}
    />
  );
}

/** The strip has a fixed first step, so that its share is one of all. */
function stripColumn(column: TableColumn): readonly TableColumn[] {
  if (column.key === "median_seconds_from_start") return [];
  return [column.key === "conversion_from_start" ? { ...column, label: "Of all" } : column];
}

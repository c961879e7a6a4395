import type { ApiRequest, Query } from "../../api/client.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { FunnelStrip } from "../../charts/funnel-strip.tsx";
import type { Range } from "../../state/period.ts";
import { useView } from "../../state/view.ts";
import type { IconName } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Empty } from "../../ui/states.tsx";

interface FunnelRow {
  step: number;
  event: string;
  users: number;
  conversion_from_start: number | null;
  conversion_from_previous: number | null;
  median_seconds_from_previous: number | null;
}

const STEPS: readonly { type: string; event?: string; name: string; label: string; icon: IconName }[] = [
  { type: "event", event: "page", name: "page::0", label: "Visit", icon: "overview" },
  { type: "event", event: "connect", name: "connect::1", label: "Wallet connected", icon: "key" },
  { type: "signature", name: "signature::2", label: "Signature", icon: "edit" },
  { type: "transaction", name: "transaction::3", label: "Transaction", icon: "check" },
];

/** Long enough for people who come back to finish. */
const WINDOW_SECONDS = 14 * 86_400;

function stripRequest(query: Query, { from, to }: Range): ApiRequest {
  return reportRequest("funnel", {
    ...query,
    date_from: from,
    date_to: to,
    steps: JSON.stringify(STEPS.map(({ type, event, name }) => ({ type, event, name }))),
    window_seconds: WINDOW_SECONDS,
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

/** From a visit to a transaction, under the filters of the page. */
export function Onchain({ hasSessions }: { hasSessions: boolean }) {
  const view = useView();
  const request = stripRequest(view.query, view.range);
  const query = useReport<FunnelRow>(request);
  const rows = query.data?.data ?? [];
  const changes = useStripChanges(query.isSuccess && !query.isPlaceholderData);
  return (
    <Panel
      title="From visit to transaction"
      className="onchain"
      request={request}
      query={query}
      counted="funnel"
      isEmpty={rows.length === 0 || rows.every(({ users }) => users === 0)}
      empty={hasSessions ? <Empty title="No page views">The strip starts with one.</Empty> : undefined}
      skeleton={<div className="funnel-skeleton" />}
      table={{
        columns: [
          { key: "label", label: "Step" },
          { key: "users", label: "Visitors", format: "count" },
          { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
          { key: "conversion_from_start", label: "Of all", format: "percent" },
          { key: "median_seconds_from_previous", label: "Median time", format: "duration" },
          ...(changes.length > 0
            ? ([
                { key: "whole", label: "Visitors, whole days", format: "count" },
                { key: "before", label: "Visitors, before", format: "count" },
              ] as const)
            : []),
        ],
        rows: rows.map((row, index) => ({
          ...row,
          label: STEPS[index]?.label ?? row.event,
          whole: changes[index]?.now,
          before: changes[index]?.before,
        })),
      }}
    >
      <FunnelStrip
        steps={rows.map((row, index) => ({
          label: STEPS[index]?.label ?? row.event,
          icon: STEPS[index]?.icon ?? "check",
          count: row.users,
          fromPrevious: row.conversion_from_previous,
          fromStart: row.conversion_from_start,
          medianSeconds: row.median_seconds_from_previous,
          change: changes[index],
        }))}
      />
    </Panel>
  );
}

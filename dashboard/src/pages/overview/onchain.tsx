import { reportRequest, useReport } from "../../api/reports.ts";
import { FunnelStrip } from "../../charts/funnel-strip.tsx";
import { useView } from "../../state/view.ts";
import type { IconName } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";

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

/** From a visit to a transaction, under the filters of the page. */
export function Onchain() {
  const view = useView();
  const request = reportRequest("funnel", {
    ...view.query,
    steps: JSON.stringify(STEPS.map(({ type, event, name }) => ({ type, event, name }))),
    window_seconds: WINDOW_SECONDS,
  });
  const query = useReport<FunnelRow>(request);
  const rows = query.data?.data ?? [];
  return (
    <Panel
      title="From visit to transaction"
      className="onchain"
      request={request}
      query={query}
      counted="funnel"
      isEmpty={rows.length === 0 || rows.every(({ users }) => users === 0)}
      skeleton={<div className="funnel-skeleton" />}
      table={{
        columns: [
          { key: "label", label: "Step" },
          { key: "users", label: "Visitors", format: "count" },
          { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
          { key: "conversion_from_start", label: "Of all", format: "percent" },
          { key: "median_seconds_from_previous", label: "Median time", format: "duration" },
        ],
        rows: rows.map((row, index) => ({ ...row, label: STEPS[index]?.label ?? row.event })),
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
        }))}
      />
    </Panel>
  );
}

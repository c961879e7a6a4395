import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { reportOptions } from "../../api/reports.ts";
import { axisText, momentText } from "../../format/dates.ts";
import { duration, full } from "../../format/numbers.ts";
import { useView } from "../../state/view.ts";
import { Panel } from "../../ui/panel.tsx";
import { ReasonsTable } from "../../ui/reasons-table.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import type { Ingest } from "../overview/ingest-line.tsx";

const EVERY_MS = 10_000;
const SPANS = [
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const;
const OUTCOMES = ["stored", "duplicate", "parked", "refused"] as const;
const COLUMNS = [
  { key: "at", label: "From" },
  ...["received", ...OUTCOMES].map((key) => ({ key, label: key, format: "count" as const })),
];
/** More labels collide at 360 px. */
const LABELS = 4;

/** Received = stored + duplicate + parked + refused, over time and with the reasons. */
export function Ledger() {
  const { project } = useView();
  const [hours, setHours] = useState<(typeof SPANS)[number]["value"]>("24");
  const request = { path: "/v0/ingest", query: { project_id: project, hours } };
  const ledger = useQuery({
    queryKey: reportOptions(request).queryKey,
    queryFn: ({ signal }) => call<Ingest>({ ...request, signal }),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const { data, isFetching, isPending, isPlaceholderData } = ledger;
  return (
    <Panel
      title="What happened to every event"
      request={request}
      // The poll of the same numbers is no reason to draw the panel as loading.
      query={{ ...ledger, isFetching: isFetching && (isPending || isPlaceholderData) }}
      table={data && { columns: COLUMNS, rows: data.series }}
      counted="ingest"
      actions={<Segmented label="Span" options={SPANS} value={hours} onChange={setHours} />}
    >
      {data ? <Outcomes data={data} /> : null}
    </Panel>
  );
}

function Outcomes({ data }: { data: Ingest }) {
  return (
    <>
      <dl className="system-numbers">
        <div>
          <dt>received</dt>
          <dd>{full(data.received, "count")}</dd>
        </div>
        {OUTCOMES.map((name) => (
          <div key={name}>
            <dt>
              <span className={`system-dot ${name}`} /> {name}
            </dt>
            <dd>{full(data[name], "count")}</dd>
          </div>
        ))}
        <div>
          <dt>in reports after</dt>
          <dd>{data.lag_seconds === null ? "another node knows" : duration(data.lag_seconds)}</dd>
        </div>
      </dl>
      <Bars series={data.series} />
      {data.reasons.length > 0 ? <ReasonsTable reasons={data.reasons} /> : null}
    </>
  );
}

function Bars({ series }: { series: Ingest["series"] }) {
  const most = Math.max(1, ...series.map(({ received }) => received));
  const days = spanDays(series);
  const every = Math.max(1, Math.ceil(series.length / LABELS));
  return (
    <figure className="system-chart">
      <span className="system-most">{full(most, "count")}</span>
      <div className="system-bars" role="img" aria-label="Received events over time, by outcome">
        {series.map((step) => (
          <div
            key={step.at}
            className="system-bar"
            title={`${momentText(Date.parse(step.at))}: ${full(step.received, "count")}`}
          >
            {OUTCOMES.map((name) => (
              <span key={name} className={name} style={{ height: `${(step[name] / most) * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      <div className="system-axis" aria-hidden="true">
        {series.map((step, index) =>
          index % every === 0 ? (
            <span key={step.at} style={{ left: `${(index / series.length) * 100}%` }}>
              {axisText(Date.parse(step.at), "hour", days)}
            </span>
          ) : null,
        )}
      </div>
      <figcaption className="note">Events by {days > 0.5 ? "hour" : "minute"} of their arrival, UTC</figcaption>
    </figure>
  );
}

function spanDays(series: Ingest["series"]): number {
  const [first, last] = [series[0], series.at(-1)];
  return first && last ? (Date.parse(last.at) - Date.parse(first.at)) / 86_400_000 : 0;
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import type { Ingest } from "../../api/ingest.ts";
import { reportOptions } from "../../api/reports.ts";
import { OUTCOMES } from "../../charts/drawings.ts";
import { duration, full } from "../../format/numbers.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { useView } from "../../state/view.ts";
import { ReasonsTable } from "../../ui/reasons-table.tsx";
import { Segmented } from "../../ui/segmented.tsx";

const EVERY_MS = 10_000;
const SPANS = [
  { value: "1", label: "1 hour" },
  { value: "24", label: "24 hours" },
  { value: "168", label: "7 days" },
] as const;

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
    <ChartPanel<"outcomes">
      chart={{
        spec: { type: "outcomes", title: "What happened to every event", counted: "ingest", look: {} },
        request,
        // The poll of the same numbers is no reason to draw the panel as loading.
        query: { ...ledger, isFetching: isFetching && (isPending || isPlaceholderData) },
        rows: data?.series ?? [],
        asked: request.query,
      }}
      actions={<Segmented label="Span" options={SPANS} value={hours} onChange={setHours} />}
      lead={data ? <Sums data={data} /> : null}
    >
      {data && data.reasons.length > 0 ? <ReasonsTable reasons={data.reasons} /> : null}
    </ChartPanel>
  );
}

function Sums({ data }: { data: Ingest }) {
  return (
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
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import { MINUTE_MEASURES, type MinuteMeasure } from "../../charts/kinds/minutes.ts";
import { full } from "../../format/numbers.ts";
import { zoneName } from "../../format/zone.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { useView } from "../../state/view.ts";
import { Flag } from "../../ui/flag.tsx";
import type { PanelQuery } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Stream } from "./stream.tsx";
import "./live.css";

type Counts = Readonly<Record<"visitors" | "sessions" | "wallets" | "events" | "page_views", number>>;

interface LiveNumbers {
  now: Counts & { live_visitors: number };
  minutes: readonly (Counts & { minute: string })[];
  top_pages: readonly (Counts & { origin: string; pathname: string })[];
  top_chains: readonly (Counts & { chain_id: string })[];
  top_countries: readonly (Counts & { location: string })[];
  top_sources: readonly (Counts & { referrer: string })[];
}

const EVERY_MS = 2000;

/** The last 30 minutes, and every event as it arrives. */
export function Live() {
  const { project, segment } = useView();
  const [measure, setMeasure] = useState<MinuteMeasure>("visitors");
  const { request, live } = useLive(project, segment);
  return (
    <div className="live-page">
      <div className="page-head">
        <div>
          <h1>Live</h1>
          <p>The last 30 minutes, by the clocks of {zoneName()}. Nothing to reload.</p>
        </div>
      </div>
      <dl className="figures live-numbers">
        <Figure label="Online now" value={live.data?.now.live_visitors} strong />
        <Figure label="Visitors, 30 min" value={live.data?.now.visitors} />
        <Figure label="Wallets, 30 min" value={live.data?.now.wallets} />
        <Figure label="Page views, 30 min" value={live.data?.now.page_views} />
        <Figure label="Events, 30 min" value={live.data?.now.events} />
      </dl>
      <div className="live-grid">
        <div className="live-main">
          <ChartPanel<"minutes">
            chart={{
              spec: { type: "minutes", title: "Per minute", counted: "live", look: { measure } },
              request,
              query: panelQuery(live),
              rows: live.data?.minutes ?? [],
              asked: request.query,
            }}
            actions={<Segmented label="Measure" options={MINUTE_MEASURES} value={measure} onChange={setMeasure} />}
          />
          <TopLists live={live} />
        </div>
        <Stream key={`${project} ${segment}`} />
      </div>
    </div>
  );
}

function useLive(project: string | undefined, segment: string | undefined) {
  const request = { path: "/v0/live", query: { project_id: project, segment } };
  const live = useQuery({
    // The number above the page is of everybody.
    queryKey: ["live", project, ...(segment === undefined ? [] : [segment])],
    queryFn: ({ signal }) => call<LiveNumbers>({ ...request, signal }),
    refetchInterval: EVERY_MS,
    retry: false,
    enabled: project !== undefined,
  });
  return { request, live };
}

/** The poll of the same numbers is no reason to draw a panel as loading. */
function panelQuery(live: ReturnType<typeof useLive>["live"]): PanelQuery {
  return { ...live, isFetching: live.isPending && live.isFetching };
}

function TopLists({ live }: { live: ReturnType<typeof useLive>["live"] }) {
  return (
    <div className="cards">
      <TopList title="Pages" column="pathname" rows={live.data?.top_pages} live={live} />
      <TopList title="Sources" column="referrer" rows={live.data?.top_sources} live={live} />
      <TopList title="Countries" column="location" rows={live.data?.top_countries} live={live} />
      <TopList title="Chains" column="chain_id" rows={live.data?.top_chains} live={live} />
    </div>
  );
}

function Figure({ label, value, strong }: { label: string; value: number | undefined; strong?: boolean }) {
  return (
    <div className={strong ? "strong" : undefined}>
      <dt>{label}</dt>
      <dd>{value === undefined ? "–" : full(value, "count")}</dd>
    </div>
  );
}

interface TopListProps {
  title: string;
  column: string;
  rows: readonly (Counts & AnyRow)[] | undefined;
  live: ReturnType<typeof useLive>["live"];
}

function TopList({ title, column, rows = [], live }: TopListProps) {
  const { project, segment } = useView();
  const request = { path: "/v0/live", query: { project_id: project, segment } };
  return (
    <ChartPanel<"ranked">
      chart={{
        spec: {
          type: "ranked",
          title,
          counted: "live",
          look: { column, name: title, measure: "visitors", label: "Visitors", format: "count" },
        },
        request,
        query: panelQuery(live),
        rows,
        asked: request.query,
      }}
      empty={<p className="note">Nothing in the last 30 minutes.</p>}
      withDrawing={(drawing) => ({
        ...drawing,
        rows: drawing.rows.map((row) => ({
          ...row,
          mark: column === "location" ? <Flag code={row.key} /> : undefined,
        })),
      })}
      withTable={(table) => ({
        ...table,
        columns: [...table.columns, { key: "events", label: "Events", format: "count" }],
      })}
    />
  );
}

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { RankedBars } from "../../charts/ranked-bars.tsx";
import { TimeChart } from "../../charts/time-chart.tsx";
import { timeText } from "../../format/dates.ts";
import { pageName, valueName } from "../../format/names.ts";
import { full } from "../../format/numbers.ts";
import { useView } from "../../state/view.ts";
import { Flag } from "../../ui/flag.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Stream } from "./stream.tsx";
import "./live.css";

interface Counts {
  visitors: number;
  sessions: number;
  wallets: number;
  events: number;
  page_views: number;
}

interface LiveNumbers {
  now: Counts & { live_visitors: number };
  minutes: readonly (Counts & { minute: string })[];
  top_pages: readonly (Counts & { origin: string; pathname: string })[];
  top_chains: readonly (Counts & { chain_id: string })[];
  top_countries: readonly (Counts & { location: string })[];
  top_sources: readonly (Counts & { referrer: string })[];
}

const EVERY_MS = 2000;
const MEASURES = [
  { value: "visitors", label: "Visitors" },
  { value: "page_views", label: "Page views" },
  { value: "events", label: "Events" },
  { value: "wallets", label: "Wallets" },
] as const;

/** The last 30 minutes, and every event as it arrives. */
export function Live() {
  const { project } = useView();
  const [measure, setMeasure] = useState<(typeof MEASURES)[number]["value"]>("visitors");
  const request = { path: "/v0/live", query: { project_id: project } };
  const live = useQuery({
    queryKey: ["live", project],
    queryFn: ({ signal }) => call<LiveNumbers>({ ...request, signal }),
    refetchInterval: EVERY_MS,
    retry: false,
    enabled: project !== undefined,
  });
  const minutes = live.data?.minutes ?? [];
  const severalSites = new Set(live.data?.top_pages.map(({ origin }) => origin)).size > 1;
  const label = MEASURES.find(({ value }) => value === measure)?.label ?? "";
  return (
    <div className="live-page">
      <div className="page-head">
        <div>
          <h1>Live</h1>
          <p>The last 30 minutes, in UTC. Nothing to reload.</p>
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
          <Panel
            title="Per minute"
            request={request}
            query={{ ...live, isFetching: live.isPending && live.isFetching }}
            counted="live"
            actions={<Segmented label="Measure" options={MEASURES} value={measure} onChange={setMeasure} />}
            table={{
              columns: [
                { key: "minute", label: "Minute (UTC)" },
                ...MEASURES.map(({ value, label: name }) => ({ key: value, label: name, format: "count" as const })),
              ],
              rows: minutes,
            }}
          >
            <TimeChart
              label={`${label} per minute`}
              bars
              height={180}
              format="count"
              points={minutes.map((minute, index) => ({
                label: timeText(Date.parse(minute.minute)),
                axis: `−${minutes.length - 1 - index} min`,
                value: minute[measure],
                partial: index === minutes.length - 1,
              }))}
            />
          </Panel>
          <div className="cards">
            <TopList
              title="Pages"
              rows={live.data?.top_pages}
              name={(row) => pageName(row.origin, row.pathname, severalSites)}
              query={live}
            />
            <TopList
              title="Sources"
              rows={live.data?.top_sources}
              name={(row) => valueName("referrer", row.referrer)}
              query={live}
            />
            <TopList
              title="Countries"
              rows={live.data?.top_countries}
              name={(row) => valueName("location", row.location)}
              mark={(row) => <Flag code={row.location} />}
              query={live}
            />
            <TopList
              title="Chains"
              rows={live.data?.top_chains}
              name={(row) => valueName("chain_id", row.chain_id)}
              query={live}
            />
          </div>
        </div>
        <Stream key={project} />
      </div>
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

interface TopListProps<R extends Counts> {
  title: string;
  rows: readonly R[] | undefined;
  name: (row: R) => string;
  mark?: (row: R) => React.ReactNode;
  query: Parameters<typeof Panel>[0]["query"];
}

function TopList<R extends Counts>({ title, rows = [], name, mark, query }: TopListProps<R>) {
  const { project } = useView();
  return (
    <Panel
      title={title}
      request={{ path: "/v0/live", query: { project_id: project } }}
      query={{ ...query, isFetching: query.isPending && query.isFetching }}
      counted="live"
      isEmpty={rows.length === 0}
      empty={<p className="note">Nothing in the last 30 minutes.</p>}
      table={{
        columns: [
          { key: "name", label: title },
          { key: "visitors", label: "Visitors", format: "count" },
          { key: "events", label: "Events", format: "count" },
        ],
        rows: rows.map((row) => ({ ...row, name: name(row) })),
      }}
    >
      <RankedBars
        format="count"
        rows={rows.map((row) => ({ key: name(row), name: name(row), value: row.visitors, mark: mark?.(row) }))}
      />
    </Panel>
  );
}

import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Near } from "../../api/near.tsx";
import { useFresh } from "../../api/use-fresh.ts";
import type { KpiRow } from "../../charts/kpi-points.ts";
import { rangeText } from "../../format/dates.ts";
import { MEASURE_NAMES } from "../../format/measures.ts";
import { oneOf, type RawSearch } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { BotsLine } from "../../ui/bots-line.tsx";
import { Empty } from "../../ui/states.tsx";
import { Breakdown } from "./breakdown.tsx";
import { CARD_MEASURE_NAMES, CARDS, type CardMeasure } from "./breakdowns.ts";
import { Headline } from "./headline.tsx";
import { Hours } from "./hours.tsx";
import { IngestLine } from "./ingest-line.tsx";
import { Movers } from "./movers.tsx";
import { Onchain } from "./onchain.tsx";
import { Properties } from "./properties.tsx";
import { Trend } from "./trend.tsx";
import { useKpis } from "./use-kpis.ts";
import { Weekly } from "./weekly.tsx";
import "./overview.css";

const ImportedLine = lazy(async () => ({ default: (await import("../../ui/imported.tsx")).ImportedLine }));

function NothingYet() {
  return (
    <p className="hint">
      No visits in this period. New here? <Link to="/app/start">Connect your app, or look at demo data.</Link>
    </p>
  );
}

/** What the changes of the headline compare. */
function ChangesNote() {
  const { range, compared, comparable, firstDay, today } = useView();
  // Its line is kept free, so that the page does not move once the first day is known.
  if (firstDay === undefined && compared && range.to >= today) return <p className="note changes-note">&nbsp;</p>;
  if (comparable === undefined || firstDay == null) return null;
  if (comparable === "today") {
    return <p className="note changes-note">Changes need whole days. The chart compares today hour by hour.</p>;
  }
  if (comparable === "before-first-day") {
    return (
      <p className="note changes-note">
        No changes: the first event is of {rangeText({ from: firstDay, to: firstDay }, today)}, after the comparison
        begins.
      </p>
    );
  }
  if (comparable.range.to === range.to) return null;
  return (
    <p className="note changes-note">
      Changes are of whole days: {rangeText(comparable.range, today)} against {rangeText(comparable.compared, today)}.
    </p>
  );
}

function totalsOf(row: KpiRow): Partial<Record<CardMeasure, number>> {
  const { visitors, sessions, pageviews, wallets, volume, revenue } = row;
  const all = { visitors, sessions, hits: pageviews, wallets, volume, revenue };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Number(value)]));
}

/** The first screen; without any event all of its panels would say the same. */
export function Overview() {
  const { firstDay, project, range, today } = useView();
  useFresh(project, firstDay === null || range.to >= today);
  return firstDay === null ? <NoEvents /> : <Reports />;
}

function NoEvents() {
  return (
    <>
      <h1 className="hidden">Overview</h1>
      <section className="panel" aria-label="No events yet">
        <Empty title="No events yet">
          This page fills by itself as soon as the first one arrives.{" "}
          <Link to="/app/start">Connect your app, or look at demo data</Link>
        </Empty>
      </section>
    </>
  );
}

function Reports() {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const measure = oneOf(MEASURE_NAMES, search.measure) ?? "visitors";
  const wanted = oneOf(CARD_MEASURE_NAMES, search.by);
  const kpis = useKpis();
  // A share of the total of another period would be no share.
  const totals = kpis.total && !kpis.isStale ? totalsOf(kpis.total) : {};
  return (
    <div className="overview">
      <h1 className="hidden">Overview</h1>
      <Headline
        rows={kpis.rows}
        total={kpis.total}
        isPending={kpis.isPending}
        isStale={kpis.isStale}
        isFailed={kpis.isFailed}
        changes={kpis.changes}
        chosen={measure}
        onChoose={(name) => set({ measure: name === "visitors" ? undefined : name })}
      />
      <BotsLine />
      {kpis.imported ? (
        <Suspense fallback={null}>
          <ImportedLine note={kpis.imported} />
        </Suspense>
      ) : null}
      {kpis.isFailed && !kpis.isPending ? null : <ChangesNote />}
      {totals.sessions === 0 && view.filters.length === 0 ? <NothingYet /> : null}
      <Trend kpis={kpis} measure={measure} bars={search.chart === "bars"} />
      <Near>
        <Onchain hasSessions={totals.sessions !== undefined && totals.sessions > 0} />
      </Near>
      <Near>
        <Movers measure={measure} changes={kpis.changes} />
      </Near>
      <div className="cards">
        {CARDS.map((card) => (
          <Near key={card.id}>
            <Breakdown card={card} wanted={wanted} totals={card.id === "events" ? {} : totals} />
          </Near>
        ))}
      </div>
      <Near>
        <Properties wanted={wanted} />
      </Near>
      <div className="cards two">
        <Near>
          <Hours />
        </Near>
        <Near>
          <Weekly />
        </Near>
      </div>
      <IngestLine />
    </div>
  );
}

import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useReport } from "../../api/reports.ts";
import type { ChartSpec } from "../../charts/registry.ts";
import type { Format } from "../../format/numbers.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { useChart } from "../../panels/use-chart.ts";
import type { RawSearch } from "../../state/search.ts";
import { useSetFilters, useSetSearch, useView, type View } from "../../state/view.ts";
import { Change } from "../../ui/change.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuChoice } from "../../ui/menu.tsx";
import { useAllRows } from "./all-rows-csv.ts";
import {
  type BreakdownRow,
  breakdownQuestion,
  changesOf,
  changesRequest,
  filtersAfter,
  isFiltered,
  queryFor,
  quickChangesOf,
  quickChangesRequests,
  type Change as RowChanges,
} from "./breakdown-rows.ts";
import {
  CARD_MEASURES,
  type Card,
  type CardMeasure,
  isOnchain,
  measureLabel,
  measureOf,
  type Tab,
} from "./breakdowns.ts";

const AllRows = lazy(async () => ({ default: (await import("./all-rows.tsx")).AllRows }));

const SHOWN_ROWS = 10;

interface BreakdownProps {
  card: Card;
  /** Undefined: what each tab shows by itself. */
  wanted: CardMeasure | undefined;
  /** Totals of the whole period, for shares. */
  totals: Partial<Record<CardMeasure, number>>;
}

/** A card with tabs: the ten largest values of a column. */
export function Breakdown({ card, wanted, totals }: BreakdownProps) {
  const view = useView();
  const set = useSetSearch();
  const setFilters = useSetFilters();
  const search = useSearch({ strict: false }) as RawSearch;
  const [all, setAll] = useState(false);
  const tab = card.tabs.find(({ id }) => id === search[card.id]) ?? card.tabs[0];
  if (tab === undefined) throw new Error(`the card ${card.id} has no tab`);
  const measure = measureOf(tab, wanted);
  const label = measureLabel(tab, measure);
  const title = `${card.title}: ${tab.label}`;
  const given = queryFor(tab, view);
  const chart = useChart(specOf(card, tab, measure), { given });
  const changes = useChanges(tab, measure, view, chart.isCurrent);
  const downloadAll = useAllRows(title, tab);
  const choose = (filter: BreakdownRow["filter"], exclude: boolean) => {
    if (filter) setFilters(filtersAfter(view.filters, filter, exclude));
  };
  const total = given === view.query && chart.isCurrent ? totals[measure] : undefined;
  const sum = chart.rows.reduce((so, row) => so + Number(row[measure] ?? 0), 0);
  const isShared = total !== undefined && sum > total * ROUNDING;
  const frame = {
    head: (
      <CardTabs card={card} tab={tab} onChoose={(id) => set({ [card.id]: id === card.tabs[0]?.id ? undefined : id })} />
    ),
    className: "card",
    actions: <MeasureMenu tab={tab} measure={measure} title={card.title} />,
    onDownload: () => void downloadAll(),
    children: (
      <>
        {isShared && !tab.map ? (
          <p className="note">
            The same {label.toLowerCase()} may be in several rows: shares add up to more than 100%.
          </p>
        ) : null}
        <button type="button" className="link-button card-all" onClick={() => setAll(true)}>
          {chart.count === 1 ? "The row" : `All ${chart.count} rows`} with all measures
        </button>
        {all ? (
          <Suspense fallback={null}>
            <AllRows
              title={title}
              tab={tab}
              measure={measure}
              onChoose={(row, exclude) => choose(row?.filter, exclude)}
              onClose={() => setAll(false)}
            />
          </Suspense>
        ) : null}
      </>
    ),
  };
  const { filter: field } = tab;
  if (tab.map)
    return (
      <ChartPanel<"map">
        {...frame}
        chart={{ ...chart, spec: { ...chart.spec, type: "map" } }}
        withDrawing={(drawing) => ({
          ...drawing,
          onChoose: (code, exclude) => choose(field === undefined ? undefined : { field, value: code }, exclude),
        })}
      />
    );
  return (
    <ChartPanel<"ranked">
      {...frame}
      chart={chart}
      withDrawing={(drawing) => ({
        ...drawing,
        rows: drawing.rows.slice(0, SHOWN_ROWS).map((row) => ({
          ...row,
          mark: tab.column === "location" ? <Flag code={row.key} /> : undefined,
          active: isFiltered(view.filters, row.filter),
          change: changes && <RowChange {...changes(row.key, measure)} format={drawing.format} />,
        })),
        total,
        onChoose: field === undefined ? undefined : ({ filter }, exclude) => choose(filter, exclude),
      })}
    />
  );
}

/** More countries than there are. */
const MAP_ROWS = 250;

function specOf(card: Card, tab: Tab, measure: CardMeasure): ChartSpec<"ranked"> {
  return {
    type: "ranked",
    ...breakdownQuestion(tab, measure, tab.map ? MAP_ROWS : SHOWN_ROWS),
    title: `${card.title}: ${tab.label}`,
    counted: isOnchain(measure) ? "breakdown" : card.counted,
    look: {
      column: tab.column,
      filter: tab.filter,
      name: tab.label,
      measure,
      label: measureLabel(tab, measure),
      format: CARD_MEASURES[measure].format,
    },
  };
}

/** Sums of amounts are rounded differently. */
const ROUNDING = 1 + 1e-9;

/** Asked after the rows. */
function useChanges(tab: Tab, measure: CardMeasure, view: View, enabled: boolean) {
  const quick = quickChangesRequests(tab, measure, view);
  const request = quick?.now ?? changesRequest(tab, view);
  const first = useReport(request ?? NONE, enabled && request !== undefined);
  const before = useReport(quick?.before ?? NONE, enabled && quick !== undefined);
  if (request === undefined || first.isPlaceholderData || first.data === undefined) return undefined;
  if (quick === undefined) return changesOf(tab, first.data);
  if (before.isPlaceholderData || before.data === undefined) return undefined;
  return quickChangesOf(tab, measure, first.data, before.data);
}

/** A question that is not asked. */
const NONE = { path: "/v0/breakdown" };

function RowChange({ now = null, before = null, format }: Partial<RowChanges> & { format: Format }) {
  return <Change now={now} before={before} format={format} />;
}

function CardTabs({ card, tab, onChoose }: { card: Card; tab: Tab; onChoose: (id: string) => void }) {
  const shown = card.tabs.slice(0, card.shown);
  const rest = card.tabs.slice(card.shown);
  const inRest = rest.includes(tab);
  return (
    <div className="card-tabs">
      <h2 className="hidden">{card.title}</h2>
      {shown.map(({ id, label }) => (
        <button key={id} type="button" aria-pressed={id === tab.id} onClick={() => onChoose(id)}>
          {label}
        </button>
      ))}
      {rest.length > 0 ? (
        <Menu
          align="start"
          trigger={
            <button type="button" aria-pressed={inRest}>
              {inRest ? tab.label : "More"}
              <Icon name="down" size={12} />
            </button>
          }
        >
          {rest.map(({ id, label }) => (
            <MenuChoice key={id} checked={id === tab.id} onSelect={() => onChoose(id)}>
              {label}
            </MenuChoice>
          ))}
        </Menu>
      ) : null}
    </div>
  );
}

function MeasureMenu({ tab, measure, title }: { tab: Tab; measure: CardMeasure; title: string }) {
  const set = useSetSearch();
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="button ghost small measure"
          aria-label={`${title}: counted by ${measureLabel(tab, measure)}`}
        >
          {measureLabel(tab, measure)}
          <Icon name="down" size={12} />
        </button>
      }
    >
      {tab.measures.map((name) => (
        <MenuChoice key={name} checked={name === measure} onSelect={() => set({ by: name })}>
          {measureLabel(tab, name)}
        </MenuChoice>
      ))}
    </Menu>
  );
}

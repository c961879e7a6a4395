import { useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useReport } from "../../api/reports.ts";
import { RankedBars } from "../../charts/ranked-bars.tsx";
import type { Format } from "../../format/numbers.ts";
import type { RawSearch } from "../../state/search.ts";
import { useSetFilters, useSetSearch, useView, type View } from "../../state/view.ts";
import { Change } from "../../ui/change.tsx";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Menu, MenuChoice } from "../../ui/menu.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { useAllRows } from "./all-rows-csv.ts";
import {
  type BreakdownRow,
  breakdownRequest,
  breakdownRows,
  changesOf,
  changesRequest,
  filtersAfter,
  isFiltered,
  queryFor,
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

const WorldMap = lazy(async () => ({ default: (await import("../../map/world-map.tsx")).WorldMap }));

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
  const asked = queryFor(tab, view);
  const request = breakdownRequest(tab, measure, asked, tab.map ? 250 : SHOWN_ROWS);
  const query = useReport(request);
  const rows = breakdownRows(tab, measure, query.data);
  const changes = useChanges(tab, view, query.isSuccess && !query.isPlaceholderData);
  const downloadAll = useAllRows(`${card.title}: ${tab.label}`, tab);
  const { format } = CARD_MEASURES[measure];
  const label = measureLabel(tab, measure);
  const choose = (row: BreakdownRow | undefined, exclude: boolean) => {
    if (row?.filter) setFilters(filtersAfter(view.filters, row.filter, exclude));
  };
  const total = asked === view.query && !query.isPlaceholderData ? totals[measure] : undefined;
  const isShared = total !== undefined && rows.reduce((sum, row) => sum + (row.value ?? 0), 0) > total * ROUNDING;
  const count = query.data?.rows_before_limit_at_least ?? 0;
  return (
    <Panel
      title={`${card.title}: ${tab.label}`}
      head={
        <CardTabs
          card={card}
          tab={tab}
          onChoose={(id) => set({ [card.id]: id === card.tabs[0]?.id ? undefined : id })}
        />
      }
      className="card"
      request={request}
      query={query}
      counted={isOnchain(measure) ? "breakdown" : card.counted}
      isEmpty={rows.length === 0}
      skeleton={<Skeleton rows={8} />}
      actions={<MeasureMenu tab={tab} measure={measure} title={card.title} />}
      table={{
        columns: [
          { key: "name", label: tab.label },
          { key: "value", label, format },
        ],
        rows: rows.map(({ name, value }) => ({ name, value })),
      }}
      onDownload={() => void downloadAll()}
    >
      {tab.map ? (
        <Suspense fallback={<Skeleton rows={8} />}>
          <WorldMap
            values={new Map(rows.map(({ key, value }) => [key, value ?? 0]))}
            format={format}
            onChoose={(code, exclude) =>
              choose(
                rows.find(({ key }) => key === code),
                exclude,
              )
            }
          />
        </Suspense>
      ) : (
        <RankedBars
          rows={rows.slice(0, SHOWN_ROWS).map((row) => ({
            ...row,
            mark: tab.column === "location" ? <Flag code={row.key} /> : undefined,
            active: isFiltered(view.filters, row.filter),
            change: changes && <RowChange {...changes(row.key, measure)} format={format} />,
          }))}
          format={format}
          total={total}
          onChoose={tab.filter === undefined ? undefined : choose}
        />
      )}
      {isShared && !tab.map ? (
        <p className="note">The same {label.toLowerCase()} may be in several rows: shares add up to more than 100%.</p>
      ) : null}
      <button type="button" className="link-button card-all" onClick={() => setAll(true)}>
        {count === 1 ? "The row" : `All ${count} rows`} with all measures
      </button>
      {all ? (
        <Suspense fallback={null}>
          <AllRows
            title={`${card.title}: ${tab.label}`}
            tab={tab}
            measure={measure}
            onChoose={choose}
            onClose={() => setAll(false)}
          />
        </Suspense>
      ) : null}
    </Panel>
  );
}

/** Sums of amounts are rounded differently. */
const ROUNDING = 1 + 1e-9;

/** Asked after the rows, and for all measures at once: another measure needs no other answer. */
function useChanges(tab: Tab, view: View, enabled: boolean) {
  const request = changesRequest(tab, view);
  const query = useReport(request ?? { path: "/v0/breakdown" }, enabled && request !== undefined);
  return request === undefined || query.isPlaceholderData || query.data === undefined
    ? undefined
    : changesOf(tab, query.data);
}

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

import { useSearch } from "@tanstack/react-router";
import { askedBuckets, type KpiRow } from "../../charts/kpi-points.ts";
import { rangeText } from "../../format/dates.ts";
import { MEASURES, type MeasureName } from "../../format/measures.ts";
import { signed } from "../../format/numbers.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { usePartsChart } from "../../panels/use-chart.ts";
import { oneOf, type RawSearch } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { comparedDays } from "./breakdown-rows.ts";
import { CARDS, type Tab } from "./breakdowns.ts";

/** Of each direction. */
const SHOWN = 5;

/** The tabs of cards by which a change is told apart. */
const NAMES = ["channel", "utm_campaign", "location", "all", "chain_id", "device"] as const;
const TABS = NAMES.flatMap((name) => CARDS.flatMap(({ tabs }) => tabs.filter(({ id }) => id === name)));

/** The column of the report `breakdown`; rates have no parts that add up to them. */
const COLUMNS: Partial<Record<MeasureName, string>> = {
  visitors: "visitors",
  sessions: "sessions",
  pageviews: "hits",
  wallets: "wallets",
  transactions: "transactions",
  volume: "volume",
  revenue: "revenue",
};

interface MoversProps {
  measure: MeasureName;
  /** The headline on the whole days of the period, and before. */
  changes: KpiRow | undefined;
}

/** What moved the headline: the values with the largest differences to the comparison. */
export function Movers({ measure, changes }: MoversProps) {
  const view = useView();
  const column = COLUMNS[measure];
  const days = comparedDays(view);
  if (days === undefined || column === undefined || typeof view.comparable !== "object") return null;
  return <MoversOf measure={measure} column={column} changes={changes} />;
}

function MoversOf({ measure, column, changes }: MoversProps & { column: string }) {
  const view = useView();
  const set = useSetSearch();
  const search = useSearch({ strict: false }) as RawSearch;
  const id = oneOf(NAMES, search.movers) ?? NAMES[0];
  const tab = TABS.find((one) => one.id === id);
  if (tab === undefined) throw new Error(`no card has the tab ${id}`);
  const { label, format } = MEASURES[measure];
  const chart = usePartsChart<"movers">({
    type: "movers",
    report: "breakdown",
    params: {
      ...comparedDays(view),
      metric_column: tab.breakdown,
      measures: column,
      order_by: `${column}_change`,
      limit: SHOWN,
    },
    title: `What moved ${label.toLowerCase()}`,
    counted: "movers",
    look: { column: tab.column, name: tab.label, measure: column, label, format },
  });
  const { range, compared } = askedBuckets(chart.asked);
  // A share of the change of another period would be no share.
  const isCurrent = changes !== undefined && !chart.query.isPlaceholderData;
  const total = isCurrent ? Number(changes[measure]) - Number(changes[`${measure}_previous`]) : undefined;
  return (
    <ChartPanel<"movers">
      chart={chart}
      className="movers"
      empty={<p className="note">No {tab.label.toLowerCase()} has changed.</p>}
      actions={
        <Segmented
          label="Told apart by"
          options={TABS.map((one) => ({ value: one.id, label: one.label }))}
          value={tab.id}
          onChange={(value) => set({ movers: value === NAMES[0] ? undefined : value })}
        />
      }
      lead={
        <p className="movers-total">
          {total === undefined ? null : <strong>{signed(total, format)}</strong>} {label.toLowerCase()},{" "}
          {rangeText(range, view.today)}
          {compared === undefined ? null : ` against ${rangeText(compared, view.today)}`}
        </p>
      }
      withDrawing={(drawing) => ({ ...drawing, total: addsUp(tab, measure) ? total : undefined })}
    >
      <p className="note">{noteOf(tab, measure)}</p>
    </ChartPanel>
  );
}

const OF_SESSIONS: readonly string[] = ["channel", "utm_campaign", "location", "device"];
const OF_PEOPLE: readonly MeasureName[] = ["visitors", "wallets"];

function addsUp(tab: Tab, measure: MeasureName): boolean {
  return OF_SESSIONS.includes(tab.breakdown) && !OF_PEOPLE.includes(measure);
}

/** Whether the differences add up to the change. */
function noteOf(tab: Tab, measure: MeasureName): string {
  const { label } = MEASURES[measure];
  if (OF_PEOPLE.includes(measure))
    return `The same ${measure === "visitors" ? "visitor" : "wallet"} can be under several ${tab.label.toLowerCase()}: the differences need not add up to the change.`;
  if (addsUp(tab, measure))
    return `Each session has one of the ${tab.label.toLowerCase()}: the differences of all rows add up to the change.`;
  if (measure === "sessions")
    return `A session can be under several ${tab.label.toLowerCase()}: the differences need not add up to the change.`;
  return `${label} without one of the ${tab.label.toLowerCase()} is left out: the differences need not add up to the change.`;
}

import { useSearch } from "@tanstack/react-router";
import { type Report, useReport } from "../../api/reports.ts";
import { uniqueKeys } from "../../charts/unique-keys.ts";
import { rangeText } from "../../format/dates.ts";
import { type Format, full, share, signed } from "../../format/numbers.ts";
import { oneOf, type RawSearch } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Panel } from "../../ui/panel.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { breakdownRows, comparedDays, tableRequest } from "./breakdown-rows.ts";
import { CARDS, type Tab } from "./breakdowns.ts";
import type { KpiRow } from "./kpis.ts";
import { MEASURES, type MeasureName } from "./measures.ts";

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
  const requestOf = (order: "asc" | "desc") =>
    tableRequest(tab, { ...view.query, ...comparedDays(view) }, { order_by: `${column}_change`, order, limit: SHOWN });
  const [mostRequest, leastRequest] = [requestOf("desc"), requestOf("asc")];
  const [most, least] = [useReport(mostRequest), useReport(leastRequest)];
  const up = moversOf(tab, column, most.data).filter(({ difference }) => difference > 0);
  const down = moversOf(tab, column, least.data).filter(({ difference }) => difference < 0);
  const total = changes && Number(changes[measure]) - Number(changes[`${measure}_previous`]);
  const query = most.isPending || most.error ? most : least;
  return (
    <Panel
      title={`What moved ${label.toLowerCase()}`}
      className="movers"
      request={[mostRequest, leastRequest]}
      query={query}
      counted="movers"
      isEmpty={up.length === 0 && down.length === 0}
      empty={<p className="note">No {tab.label.toLowerCase()} has changed.</p>}
      skeleton={<Skeleton rows={5} />}
      actions={
        <Segmented
          label="Told apart by"
          options={TABS.map((one) => ({ value: one.id, label: one.label }))}
          value={tab.id}
          onChange={(value) => set({ movers: value === NAMES[0] ? undefined : value })}
        />
      }
      table={{
        columns: [
          { key: "name", label: tab.label },
          { key: "now", label, format },
          { key: "before", label: `${label} before`, format },
          { key: "difference", label: "Difference", format },
        ],
        rows: [...up, ...down.toReversed()],
      }}
    >
      <p className="movers-total">
        {typeof view.comparable === "object" ? (
          <>
            {total === undefined ? null : <strong>{signed(total, format)}</strong>} {label.toLowerCase()},{" "}
            {rangeText(view.comparable.range, view.today)} against {rangeText(view.comparable.compared, view.today)}
          </>
        ) : null}
      </p>
      <div className="movers-lists">
        <MoverList title="Up" movers={up} format={format} total={addsUp(tab, measure) ? total : undefined} />
        <MoverList title="Down" movers={down} format={format} total={addsUp(tab, measure) ? total : undefined} />
      </div>
      <p className="note">{noteOf(tab, measure)}</p>
    </Panel>
  );
}

interface Mover {
  key: string;
  name: string;
  now: number;
  before: number;
  difference: number;
}

function moversOf(tab: Tab, column: string, report: Report | undefined): Mover[] {
  return breakdownRows(tab, "visitors", report)
    .map(({ key, name, row }) => {
      const [now, before] = [Number(row[column] ?? 0), Number(row[`${column}_previous`] ?? 0)];
      return { key, name, now, before, difference: now - before };
    })
    .sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
}

interface MoverListProps {
  title: string;
  movers: readonly Mover[];
  format: Format;
  /** The change of the headline, if the differences add up to it. */
  total: number | undefined;
}

function MoverList({ title, movers, format, total }: MoverListProps) {
  const keys = uniqueKeys(movers.map(({ key }) => key));
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {movers.length === 0 ? <p className="note">Nothing.</p> : null}
      <ol className="mover-list">
        {movers.map(({ name, now, before, difference }, index) => (
          <li key={keys[index]} title={`${name}: ${full(now, format)}, ${full(before, format)} before`}>
            <span className="mover-name">{name}</span>
            <span className="mover-share">{shareText(difference, total)}</span>
            <span className={difference > 0 ? "change better" : "change worse"}>{signed(difference, format)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Against the direction of the headline, or beyond its change, a share says nothing. */
function shareText(difference: number, total: number | undefined): string {
  const part = total === undefined || total === 0 ? 0 : difference / total;
  return part > 0 && part <= 1 ? share(part, 1) : "";
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

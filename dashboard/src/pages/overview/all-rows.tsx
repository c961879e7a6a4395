import { useState } from "react";
import { useReport } from "../../api/reports.ts";
import { compareValues } from "../../charts/value-rows.ts";
import { rangeText } from "../../format/dates.ts";
import { full, signed } from "../../format/numbers.ts";
import { uniqueKeys } from "../../format/unique-keys.ts";
import { useView } from "../../state/view.ts";
import { Change } from "../../ui/change.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { useAllRows } from "./all-rows-csv.ts";
import {
  type BreakdownRow,
  breakdownRows,
  type Change as Changes,
  changesOf,
  changesRequest,
  MOST_ROWS,
  queryFor,
  tableRequest,
} from "./breakdown-rows.ts";
import { CARD_MEASURES, type CardMeasure, measureLabel, type Tab } from "./breakdowns.ts";

interface AllRowsProps {
  title: string;
  tab: Tab;
  measure: CardMeasure;
  onChoose: (row: BreakdownRow | undefined, exclude: boolean) => void;
  onClose: () => void;
}

interface Sort {
  by: CardMeasure;
  /** By its difference to the comparison. */
  ofChange: boolean;
  order: "asc" | "desc";
}

const DRAWN = 200;

/** All values of a card with all measures, sorted by any of them, and with a search. */
export function AllRows({ title, tab, measure, onChoose, onClose }: AllRowsProps) {
  const view = useView();
  const [wanted, setWanted] = useState("");
  const [sort, setSort] = useState<Sort>({ by: measure, ofChange: false, order: "desc" });
  const download = useAllRows(title, tab);
  const { rows, changes, query, total } = useSortedRows(tab, sort);
  const found = rows.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const choose = (by: CardMeasure, ofChange: boolean) =>
    setSort((now) => ({
      by,
      ofChange,
      order: now.by === by && now.ofChange === ofChange && now.order === "desc" ? "asc" : "desc",
    }));
  return (
    <Dialog title={title} onClose={onClose} size="table">
      <div className="all-rows-head">
        <label className="grow">
          <span className="hidden">Search</span>
          <input
            type="search"
            data-autofocus
            placeholder={`Search ${rows.length} rows`}
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
        </label>
        <button type="button" className="button" onClick={() => void download()}>
          CSV
        </button>
      </div>
      <ScrollRegion label={`${title}, all measures`} className="all-rows">
        {query.error ? <Failure failure={query.error} onRetry={() => void query.refetch()} /> : null}
        {query.isPending ? <Skeleton rows={10} /> : null}
        {query.data && found.length === 0 ? <Empty title="Nothing has this name" icon="search" /> : null}
        {found.length > 0 ? (
          <MeasureTable
            tab={tab}
            rows={found.slice(0, DRAWN)}
            changes={changes}
            sort={sort}
            onSort={choose}
            onChoose={(row, exclude) => {
              onChoose(row, exclude);
              onClose();
            }}
          />
        ) : null}
        {found.length > DRAWN ? <p className="note">{found.length - DRAWN} more: search, or take the CSV.</p> : null}
      </ScrollRegion>
      {total > MOST_ROWS ? (
        <p className="note">
          The first {full(MOST_ROWS, "count")} of {full(total, "count")} rows in this order; the CSV has all of them.
        </p>
      ) : null}
      {changes && typeof view.comparable === "object" ? (
        <p className="note">
          Changes are of whole days: {rangeText(view.comparable.range, view.today)} against{" "}
          {rangeText(view.comparable.compared, view.today)}. Conversion: transacting wallets / visitors.
        </p>
      ) : (
        <p className="note">Conversion: transacting wallets / visitors.</p>
      )}
    </Dialog>
  );
}

interface MeasureTableProps {
  tab: Tab;
  rows: readonly BreakdownRow[];
  changes: ReturnType<typeof changesOf> | undefined;
  sort: Sort;
  onSort: (by: CardMeasure, ofChange: boolean) => void;
  onChoose: (row: BreakdownRow, exclude: boolean) => void;
}

function MeasureTable({ tab, rows, changes, sort, onSort, onChoose }: MeasureTableProps) {
  const keys = uniqueKeys(rows.map(({ key }) => key));
  const sortOf = (by: CardMeasure, ofChange: boolean) => {
    if (sort.by !== by || sort.ofChange !== ofChange) return "none";
    return sort.order === "asc" ? "ascending" : "descending";
  };
  const { format } = CARD_MEASURES[sort.by];
  return (
    <table className="table measures">
      <thead>
        <tr>
          <th scope="col">{tab.label}</th>
          {tab.measures.map((name) => (
            <th key={name} scope="col" className="number" aria-sort={sortOf(name, false)}>
              <SortButton sort={sortOf(name, false)} onClick={() => onSort(name, false)}>
                {measureLabel(tab, name)}
              </SortButton>
            </th>
          ))}
          {changes ? (
            <th scope="col" className="number" aria-sort={sortOf(sort.by, true)}>
              <SortButton sort={sortOf(sort.by, true)} onClick={() => onSort(sort.by, true)}>
                Change of {measureLabel(tab, sort.by).toLowerCase()}
              </SortButton>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keys[index]}>
            <th scope="row">
              {row.filter === undefined ? (
                row.name
              ) : (
                <button
                  type="button"
                  className="link-button"
                  title={row.name}
                  onClick={(event) => onChoose(row, event.shiftKey)}
                >
                  {row.name}
                </button>
              )}
            </th>
            {tab.measures.map((name) => (
              <td key={name} className="number">
                {numberText(row.row[name], CARD_MEASURES[name].format)}
              </td>
            ))}
            {changes ? <ChangeCell {...changes(row.key, sort.by)} format={format} /> : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Beyond the most rows of an answer, the API sorts; otherwise no other answer is needed. */
function useSortedRows(tab: Tab, sort: Sort) {
  const view = useView();
  const asked = queryFor(tab, view);
  const whole = useReport(tableRequest(tab, asked, {}));
  const total = whole.data?.rows_before_limit_at_least ?? 0;
  const isCut = total > MOST_ROWS;
  const order = { order_by: sort.by, order: sort.order };
  const sorted = useReport(tableRequest(tab, asked, order), isCut);
  const compared = changesRequest(
    tab,
    view,
    isCut ? { ...order, order_by: `${sort.by}${sort.ofChange ? "_change" : ""}` } : {},
  );
  const changed = useReport(compared ?? { path: "/v0/breakdown" }, compared !== undefined);
  const query = isCut ? sorted : whole;
  const changes = compared && changed.data ? changesOf(tab, changed.data) : undefined;
  const rows = breakdownRows(tab, sort.by, query.data);
  const sortedBy = ({ key, value }: BreakdownRow) => (sort.ofChange ? differenceOf(changes?.(key, sort.by)) : value);
  return {
    rows: rows.toSorted((one, other) => compareValues(sortedBy(one), sortedBy(other), sort.order)),
    changes,
    query,
    total,
  };
}

function differenceOf(change: Changes | undefined): number | null {
  return change === undefined || change.now === null || change.before === null ? null : change.now - change.before;
}

function numberText(value: unknown, format: Parameters<typeof full>[1]): string {
  return typeof value === "number" ? full(value, format) : "–";
}

function SortButton(props: { sort: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <button type="button" className="sort" onClick={props.onClick}>
      {props.children}
      {props.sort === "none" ? null : (
        <span className={props.sort === "ascending" ? "sort-up" : undefined}>
          <Icon name="down" size={12} />
        </span>
      )}
    </button>
  );
}

function ChangeCell({ now = null, before = null, format }: Partial<Changes> & { format: Parameters<typeof full>[1] }) {
  const difference = differenceOf({ now, before });
  return (
    <td className="number">
      {difference === null ? "–" : signed(difference, format)} <Change now={now} before={before} format={format} />
    </td>
  );
}

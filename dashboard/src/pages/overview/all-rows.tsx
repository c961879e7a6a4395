import { useState } from "react";
import { useReport } from "../../api/reports.ts";
import { RankedBars } from "../../charts/ranked-bars.tsx";
import { useView } from "../../state/view.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useDownload } from "../../ui/download.ts";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { type BreakdownRow, breakdownRequest, breakdownRows, MOST_ROWS, queryFor } from "./breakdown-rows.ts";
import { CARD_MEASURES, type CardMeasure, measureLabel, type Tab } from "./breakdowns.ts";

interface AllRowsProps {
  title: string;
  tab: Tab;
  measure: CardMeasure;
  onChoose: (row: BreakdownRow | undefined, exclude: boolean) => void;
  onClose: () => void;
}

const DRAWN = 200;

/** All values of a card, with a search. */
export function AllRows({ title, tab, measure, onChoose, onClose }: AllRowsProps) {
  const view = useView();
  const [wanted, setWanted] = useState("");
  const download = useDownload();
  const query = useReport(breakdownRequest(tab, measure, queryFor(tab, view), MOST_ROWS));
  const rows = breakdownRows(tab, measure, query.data);
  const found = rows.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const { format } = CARD_MEASURES[measure];
  const table = {
    columns: [
      { key: "name", label: tab.label },
      { key: "value", label: measureLabel(tab, measure), format },
    ],
    rows: found.map(({ name, value }) => ({ name, value })),
  };
  return (
    <Dialog title={title} onClose={onClose} wide>
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
        <button type="button" className="button" onClick={() => download(title, table, view.query)}>
          CSV
        </button>
      </div>
      <div className="all-rows">
        {query.error ? <Failure failure={query.error} onRetry={() => void query.refetch()} /> : null}
        {query.isPending ? <Skeleton rows={10} /> : null}
        {query.data && found.length === 0 ? <Empty title="Nothing has this name" icon="search" /> : null}
        <RankedBars
          rows={found.slice(0, DRAWN)}
          format={format}
          onChoose={
            tab.filter === undefined
              ? undefined
              : (row, exclude) => {
                  onChoose(row, exclude);
                  onClose();
                }
          }
        />
        {found.length > DRAWN ? <p className="note">{found.length - DRAWN} more: search, or take the CSV.</p> : null}
      </div>
    </Dialog>
  );
}

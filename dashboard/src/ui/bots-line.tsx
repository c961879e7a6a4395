import { useState } from "react";
import { type Row, reportRequest, useReport } from "../api/reports.ts";
import { botKind } from "../format/bots.ts";
import { valueName } from "../format/names.ts";
import { full } from "../format/numbers.ts";
import { filtersParameter } from "../state/filters.ts";
import { useSetSearch, useView } from "../state/view.ts";
import { Counted } from "./counted.tsx";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure, Skeleton } from "./states.tsx";

/** How many visitors of the view are bots: nobody is left out, or counted, without a word. */
export function BotsLine() {
  const view = useView();
  const set = useSetSearch();
  const [open, setOpen] = useState<"which" | "counted">();
  const { data, isPlaceholderData } = useReport<Row>(
    // Plain, it is answered from stored daily numbers.
    reportRequest("top_sources", { ...view.query, bots: "include", metric_column: "device" }),
  );
  const bots = Number(data?.data.find(({ device }) => device === "bot")?.visitors ?? 0);
  // Its line is kept free, so that the page does not move.
  if (data === undefined || isPlaceholderData) return <p className="note bots-line">&nbsp;</p>;
  const count = `${full(bots, "count")} ${bots === 1 ? "bot" : "bots"}`;
  const out = view.leavesBotsOut;
  return (
    <p className="note bots-line">
      <span>{bots === 0 ? "No bots in this view" : out ? `${count} left out` : `${count} counted as visitors`}</span>
      {bots === 0 && out ? null : (
        <button
          type="button"
          className="link-button"
          // The project's own setting needs no word in the URL.
          onClick={() => set({ bots: out ? (view.query.bots ? undefined : "include") : toLeaveOut(view.query.bots) })}
        >
          {out ? "show" : "leave them out"}
        </button>
      )}
      {bots === 0 ? null : (
        <button type="button" className="link-button" onClick={() => setOpen("which")}>
          which ones?
        </button>
      )}
      {open === "which" ? <WhichBots onClose={() => setOpen(undefined)} onCounted={() => setOpen("counted")} /> : null}
      {open === "counted" ? <Counted title="Bots" name="bots" onClose={() => setOpen(undefined)} /> : null}
    </p>
  );
}

function toLeaveOut(asked: unknown): "exclude" | undefined {
  return asked === "include" ? undefined : "exclude";
}

/** The bots of the view by the name that they give themselves. */
function WhichBots({ onClose, onCounted }: { onClose: () => void; onCounted: () => void }) {
  const { query, filters } = useView();
  const onlyBots = filtersParameter([...filters, { field: "device", op: "eq", value: "bot" }]);
  const { data, error, refetch } = useReport<Row>(
    reportRequest("top_sources", {
      ...query,
      bots: "include",
      filters: onlyBots,
      metric_column: "browser",
      limit: 200,
    }),
  );
  const rows = data?.data.map((row) => ({
    name: String(row.browser),
    reason: botKind(String(row.browser)),
    visitors: row.visitors,
    hits: row.hits,
  }));
  const columns = [
    { key: "name", label: "Says that it is", name: (value: string) => valueName("browser", value) },
    { key: "reason", label: "Why it is a bot" },
    { key: "visitors", label: "Visitors", format: "count" },
    { key: "hits", label: "Page views", format: "count" },
  ] as const;
  return (
    <Dialog title="Bots of this view" onClose={onClose} wide>
      {error ? (
        <Failure failure={error} onRetry={() => void refetch()} />
      ) : rows === undefined ? (
        <Skeleton />
      ) : (
        <DataTable table={{ columns, rows }} label="Bots" />
      )}
      <p className="note">
        Their events are stored: Activity and SQL have them.{" "}
        <button type="button" className="link-button" onClick={onCounted}>
          How is this counted?
        </button>
      </p>
    </Dialog>
  );
}

import { type Row, reportRequest, useReport } from "../api/reports.ts";
import { botKind } from "../format/bots.ts";
import { valueName } from "../format/names.ts";
import { filtersParameter } from "../state/filters.ts";
import { useView } from "../state/view.ts";
import { DataTable } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure, Skeleton } from "./states.tsx";

/** The bots of the view by the name that they give themselves. */
export function WhichBots({ onClose, onCounted }: { onClose: () => void; onCounted: () => void }) {
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

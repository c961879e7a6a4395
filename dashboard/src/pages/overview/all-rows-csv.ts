/** The CSV of a tab: all rows, all measures, and those of the comparison. */
import { useQueryClient } from "@tanstack/react-query";
import type { ApiRequest } from "../../api/client.ts";
import { type Row, reportOptions } from "../../api/reports.ts";
import type { TableData } from "../../format/table.ts";
import { useView } from "../../state/view.ts";
import { useDownload } from "../../ui/download.ts";
import { breakdownRows, changesOf, changesRequest, MOST_ROWS, queryFor, tableRequest } from "./breakdown-rows.ts";
import { CARD_MEASURES, measureLabel, type Tab } from "./breakdowns.ts";

/** The API's own limit of `offset`. */
const LAST_OFFSET = 100_000;

export function useAllRows(title: string, tab: Tab): () => Promise<void> {
  const view = useView();
  const client = useQueryClient();
  const { csv: download } = useDownload();
  const readAll = async (request: ApiRequest): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let offset = 0; offset <= LAST_OFFSET; offset += MOST_ROWS) {
      const page = await client.fetchQuery(reportOptions({ ...request, query: { ...request.query, offset } }));
      rows.push(...page.data);
      if (rows.length >= page.rows_before_limit_at_least) break;
    }
    return rows;
  };
  return async () => {
    const request = tableRequest(tab, queryFor(tab, view), {});
    const changes = changesRequest(tab, view);
    const [now, compared] = [await readAll(request), changes && (await readAll(changes))];
    download(title, csvTable(tab, now, compared), request.query);
  };
}

/** The numbers of the comparison, and those of the same whole days, have columns of their own. */
function csvTable(tab: Tab, rows: readonly Row[], compared: readonly Row[] | undefined): TableData {
  const measures = tab.measures.map((name) => ({
    key: name,
    label: measureLabel(tab, name),
    format: CARD_MEASURES[name].format,
  }));
  const changes = changesOf(tab, compared && { data: compared });
  return {
    columns: [
      { key: "name", label: tab.label },
      ...measures,
      ...(compared === undefined
        ? []
        : measures.flatMap(({ key, label, format }) => [
            { key: `${key}_whole`, label: `${label}, whole days`, format },
            { key: `${key}_before`, label: `${label}, before`, format },
          ])),
    ],
    rows: breakdownRows(tab, tab.measures[0] ?? "visitors", { data: rows }).map(({ key, name, row }) => ({
      name,
      ...Object.fromEntries(measures.map((measure) => [measure.key, row[measure.key]])),
      ...Object.fromEntries(
        measures.flatMap((measure) => {
          const { now = null, before = null } = changes(key, measure.key) ?? {};
          return [
            [`${measure.key}_whole`, now],
            [`${measure.key}_before`, before],
          ];
        }),
      ),
    })),
  };
}

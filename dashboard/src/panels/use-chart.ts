/** Asks for the rows of a chart. */
import type { ApiRequest } from "../api/client.ts";
import { useReport, useReports } from "../api/reports.ts";
import type { Part } from "../charts/kinds/kind.ts";
import { type ChartSpec, type ChartType, chartOf, type DrawnSpec, type RowOf } from "../charts/registry.ts";
import type { Asked } from "../format/range.ts";
import { useView } from "../state/view.ts";
import type { PanelQuery } from "../ui/panel.tsx";
import { chartRequest, joinAsked } from "./chart-request.ts";

/** Rows with their request, and what to draw of them. */
export interface AskedChart<Type extends ChartType> {
  spec: DrawnSpec<Type>;
  /** Several where the chart is of several questions. */
  request: ApiRequest | readonly ApiRequest[];
  query: PanelQuery;
  rows: readonly RowOf<Type>[];
  /** The parameters that the rows answer: while they are old, not those of the page. */
  asked: Asked;
}

export interface AskOptions {
  /** Asked before the other reports of the page. */
  isFirst?: boolean;
  /** Project, days and filters, where they are not those of the page. */
  given?: Asked;
  isAsked?: boolean;
}

/** A chart of one question. */
export function useChart<Type extends ChartType>(spec: ChartSpec<Type>, options: AskOptions = {}) {
  const request = useRequest(spec, options);
  const query = useReport<RowOf<Type>>(request, options.isAsked);
  const chart: AskedChart<Type> = {
    spec: spec as DrawnSpec<Type>,
    request,
    query,
    rows: query.data?.data ?? [],
    asked: query.data?.asked ?? request.query,
  };
  return {
    ...chart,
    /** How many rows there are without the limit of the request. */
    count: query.data?.rows_before_limit_at_least ?? 0,
    /** The rows answer what is asked now. */
    isCurrent: query.isSuccess && !query.isPlaceholderData,
  };
}

/** A chart of several questions: its kind has `parts`. */
export function usePartsChart<Type extends ChartType>(
  spec: ChartSpec<Type>,
  options: AskOptions = {},
): AskedChart<Type> {
  const whole = useRequest(spec, options);
  const parts = chartOf<Type>(spec.type as Type).parts?.(whole.query) ?? [{}];
  const requests = parts.map((own) => ({ ...whole, query: { ...whole.query, ...own } }));
  const query = useReports<unknown>(requests);
  const rows = (query.data ?? []).map(({ asked, data }): Part<unknown> => ({ asked, rows: data }));
  return {
    spec: spec as DrawnSpec<Type>,
    request: requests,
    query,
    rows: rows as readonly RowOf<Type>[],
    asked: joinAsked(rows) ?? whole.query,
  };
}

function useRequest<Type extends ChartType>(spec: ChartSpec<Type>, { given, isFirst = false }: AskOptions) {
  const view = useView();
  const page = given === undefined ? view : { ...view, query: given };
  return { ...chartRequest(chartOf<Type>(spec.type as Type), spec, page), isFirst };
}

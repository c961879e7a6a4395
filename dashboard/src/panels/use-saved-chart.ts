/** Asks what a chart of a board answers. */
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { type ChartFields, chartPath, type SavedChart } from "../api/boards.ts";
import { type ApiRequest, call } from "../api/client.ts";
import { isPassing } from "../api/failure.ts";
import { useNear } from "../api/near.tsx";
import { type ImportedNote, type Report, reportOptions, retryOnce } from "../api/reports.ts";
import type { AnyRow } from "../charts/any-row.ts";
import type { ChartType } from "../charts/registry.ts";
import type { Asked, Range } from "../format/range.ts";
import { useView, type View } from "../state/view.ts";
import { answeredChart, drawnChart, questionText, readableRows } from "./saved-chart.ts";
import type { AskedChart } from "./use-chart.ts";

/** A chart with its rows: it is drawn as it was when it answered. */
interface ChartAnswer {
  chart: ChartFields;
  rows: readonly AnyRow[];
  asked: Asked;
  imported?: ImportedNote;
}

const FRESH_MS = 30_000;

function answerOptions(request: ApiRequest, chart: SavedChart) {
  return queryOptions({
    // Begins with the key of a report: the page asks again when events come, and cancels what is slow. An answer to
    // what the chart asked before it was changed is another one.
    queryKey: [...reportOptions(request).queryKey, questionText(chart)],
    queryFn: async ({ signal }): Promise<ChartAnswer> => {
      const answer = await call<SavedChart & { results: Pick<Report<AnyRow>, "data" | "imported"> }>({
        ...request,
        exactIntegers: true,
        signal,
      });
      const { data, imported } = answer.results;
      const asked = request.query ?? {};
      return { chart: answer, rows: data, asked, ...(imported === undefined ? {} : { imported }) };
    },
    staleTime: FRESH_MS,
    retry: retryOnce,
  });
}

export interface AskedSavedChart extends AskedChart<ChartType> {
  chart: ChartFields;
  /** The rows of the days before, for charts that show a change; undefined where there is nothing to compare. */
  before: readonly AnyRow[] | undefined;
  /** The rows that a change is of: those of whole days. */
  whole: readonly AnyRow[];
  compared: Range | undefined;
}

/** Lists and figures change by whole days; along an axis the days stand beside each other. */
const COMPARED_BY: Partial<Record<ChartType, "whole" | "axis">> = {
  number: "whole",
  ranked: "whole",
  funnel: "whole",
  line: "axis",
  area: "axis",
  trend: "axis",
};

export function useSavedChart(chart: SavedChart): AskedSavedChart {
  const view = useView();
  const { isNear } = useNear();
  const request = requestOf(chart, view, view.range);
  const query = useQuery({
    ...answerOptions(request, chart),
    enabled: isNear,
    placeholderData: (last: ChartAnswer | undefined, asked) => (asked?.queryKey[1] === request.path ? last : undefined),
  });
  const answered = answeredChart(query.data?.chart, chart);
  const { spec, params } = drawnChart(answered);
  const given = query.data?.asked ?? request.query ?? {};
  const by = COMPARED_BY[spec.type];
  const ranges = by === undefined || typeof view.comparable !== "object" ? undefined : rangesOf(view, by);
  const wanted = isNear && query.isSuccess && !query.isPlaceholderData;
  const compared = ranges?.compared ?? view.range;
  const before = useQuery({
    ...answerOptions(requestOf(chart, view, compared), chart),
    enabled: wanted && ranges !== undefined,
  });
  const isWhole = ranges === undefined || ranges.range.to === view.range.to;
  const whole = useQuery({
    ...answerOptions(requestOf(chart, view, ranges?.range ?? view.range), chart),
    enabled: wanted && !isWhole,
  });
  const rows = readableRows(answered, spec.type, query.data?.rows ?? []);
  const isStale = isPassing(query.error) && query.data !== undefined;
  return {
    chart: answered,
    spec,
    request,
    query: isStale ? { ...query, isPlaceholderData: true } : query,
    // The kind that draws them reads its own columns of them.
    rows: rows as unknown as AskedSavedChart["rows"],
    asked: { ...params, date_from: given.date_from, date_to: given.date_to },
    before: ranges === undefined || (!isWhole && whole.data === undefined) ? undefined : before.data?.rows,
    whole: isWhole ? rows : (whole.data?.rows ?? []),
    compared: ranges?.compared,
  };
}

/**
 * What the shown answers of a board say of imported days: of one that has them, else of any. It asks nothing itself; a
 * chart that is not near has no answer, and is none of those that are seen.
 */
export function useImportedNote(charts: readonly SavedChart[]): ImportedNote | undefined {
  const view = useView();
  return useQueries({
    queries: charts.map((chart) => ({ ...answerOptions(requestOf(chart, view, view.range), chart), enabled: false })),
    combine: (answers) => {
      const notes = answers.flatMap(({ data }) => data?.imported ?? []);
      return notes.find(({ included }) => included) ?? notes[0];
    },
  });
}

function requestOf(
  { board_id, id }: SavedChart,
  { query: { filters, segment, bots, imported } }: View,
  { from, to }: Range,
): ApiRequest {
  const path = chartPath(board_id, id);
  return { path, query: { include: "results", date_from: from, date_to: to, filters, segment, bots, imported } };
}

function rangesOf({ comparable, range, compared }: View, by: "whole" | "axis") {
  if (typeof comparable !== "object" || compared === undefined) return undefined;
  return by === "whole" ? comparable : { range, compared };
}

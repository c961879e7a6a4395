import { useQuery } from "@tanstack/react-query";
import { boardPath, type ChartFields } from "../../api/boards.ts";
import { call, type Query } from "../../api/client.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import { useLater } from "../../state/use-later.ts";
import { useView } from "../../state/view.ts";
import { isAskable, questionOf } from "./drafts.ts";

const PAUSE_MS = 400;

interface PreviewAnswer {
  rows: readonly AnyRow[];
  /** The days that the rows are of. */
  asked: Query;
}

/** What the chart would answer for the days and filters of the page. */
export function usePreview(board: string, draft: ChartFields) {
  const { query: view } = useView();
  const { date_from, date_to, filters, segment, bots, imported } = view;
  const wanted = JSON.stringify(questionOf(draft));
  const question = useLater(wanted, PAUSE_MS);
  const request = {
    method: "POST" as const,
    path: `${boardPath(board)}/charts/preview`,
    query: { date_from, date_to, filters, segment, bots, imported },
    body: JSON.parse(question) as ChartFields,
  };
  const queryKey = ["chart-preview", request.path, request.query, question] as const;
  const canAsk = isAskable(draft);
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<PreviewAnswer> => {
      const { data } = await call<{ data: readonly AnyRow[] }>({ ...request, exactIntegers: true, signal });
      return { rows: data, asked: request.query };
    },
    enabled: canAsk,
    retry: false,
    placeholderData: (last, asked) => (isAlike(asked?.queryKey[3], question) ? last : undefined),
    staleTime: 30_000,
  });
  const { data } = query;
  const isCurrent = question === wanted && !query.isPlaceholderData;
  const shared = {
    request,
    /** Nothing is on its way: the rows are those of the draft, or there will be none. */
    isSettled: !canAsk || (question === wanted && !query.isFetching),
    /** The rows of the draft as it is now. */
    own: isCurrent ? (data?.rows ?? NO_ROWS) : NO_ROWS,
  };
  // Between a change and its answer: rows of another report have other columns.
  if (!isAlike(question, wanted))
    return { ...shared, query: { ...query, ...WAITING, queryKey }, rows: NO_ROWS, asked: request.query };
  return {
    ...shared,
    query: { ...query, queryKey, isPlaceholderData: !isCurrent && data !== undefined },
    rows: data?.rows ?? NO_ROWS,
    asked: data?.asked ?? request.query,
  };
}

const WAITING = { data: undefined, error: null, isPending: true, isFetching: true, fetchStatus: "fetching" } as const;

/** The same type of chart and the same report, or both SQL: likely the same columns. */
function isAlike(one: unknown, other: string): boolean {
  const read = (text: unknown) => (typeof text === "string" ? (JSON.parse(text) as ChartFields) : undefined);
  const [first, second] = [read(one), read(other)];
  return first?.chart_type === second?.chart_type && (first?.report ?? null) === (second?.report ?? null);
}

const NO_ROWS: readonly AnyRow[] = [];

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { boardPath, type ChartFields } from "../../api/boards.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import { useView } from "../../state/view.ts";
import { isAskable, questionOf } from "./drafts.ts";

/** A pause in typing: one question for a word, not for each letter. */
const PAUSE_MS = 400;

/** What the chart would answer for the days and filters of the page. */
export function usePreview(board: string, draft: ChartFields) {
  const { query: view } = useView();
  const { date_from, date_to, filters, segment, bots } = view;
  const wanted = JSON.stringify(questionOf(draft));
  const question = useLater(wanted);
  const request: ApiRequest = {
    method: "POST",
    path: `${boardPath(board)}/charts/preview`,
    query: { date_from, date_to, filters, segment, bots },
    body: JSON.parse(question) as ChartFields,
  };
  const query = useQuery({
    queryKey: ["chart-preview", request.path, request.query, question],
    queryFn: ({ signal }) => call<{ data: readonly AnyRow[] }>({ ...request, exactIntegers: true, signal }),
    enabled: isAskable(draft),
    retry: false,
    placeholderData: (last, asked) => (isAlike(asked?.queryKey[3], question) ? last : undefined),
    staleTime: 30_000,
  });
  const { data } = query;
  // Between a change and its answer: rows of another report have other columns.
  if (!isAlike(question, wanted)) return { request, query: { ...query, ...WAITING }, rows: NO_ROWS };
  return {
    request,
    query: question === wanted ? query : { ...query, isPlaceholderData: data !== undefined },
    rows: data?.data ?? NO_ROWS,
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

function useLater(value: string): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return later;
}

import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import type { ReportName } from "../../../src/contract/reports.ts";
import { type ApiRequest, call, type Query } from "./client.ts";
import { isPassing, RequestFailed } from "./failure.ts";
import { useNear } from "./near.tsx";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** The envelope of every report. */
export interface Report<R = Row> {
  meta: readonly { name: string; type: string }[];
  data: readonly R[];
  rows: number;
  rows_before_limit_at_least: number;
  statistics: { elapsed: number; rows_read: number; bytes_read: number };
  imported?: ImportedNote;
}

/** Days of the period that another product counted. */
export interface ImportedNote {
  from: string;
  to: string;
  source: string;
  included: boolean;
  reason?: string;
}

/** An answer with its question: whatever draws old numbers names the period they are of. */
export interface Answer<R = Row> extends Report<R> {
  asked: Query;
}

/** How long an answer counts as current. Panels that show "now" ask more often by themselves. */
const FRESH_MS = 30_000;

export function reportRequest(name: ReportName, query: Query): ApiRequest {
  return { path: `/v0/${name}`, query };
}

export function reportOptions<R = Row>(request: ApiRequest) {
  return queryOptions({
    queryKey: ["report", request.path, request.query ?? {}, request.body ?? null] as const,
    queryFn: async ({ signal }): Promise<Answer<R>> => ({
      ...(await call<Report<R>>({ ...request, signal })),
      asked: request.query ?? {},
    }),
    staleTime: FRESH_MS,
    retry: retryOnce,
  });
}

/**
 * Until the answer is here, the one before stays, marked as old, if it is of the same question. Rows of another one
 * would be read through the columns of this one. It also stays where the service does not answer.
 */
export function useReport<R = Row>(request: ApiRequest, enabled = true) {
  const { isNear } = useNear();
  const options = reportOptions<R>(request);
  const last = useRef<{ key: ReportKey; answer: Answer<R> }>(undefined);
  const query = useQuery({
    ...options,
    enabled: enabled && isNear,
    placeholderData: (before: Answer<R> | undefined, asked) =>
      asked !== undefined && isSameQuestion(asked.queryKey, options.queryKey) ? before : undefined,
  });
  if (query.isSuccess && !query.isPlaceholderData) last.current = { key: options.queryKey, answer: query.data };
  const kept = last.current && isSameQuestion(last.current.key, options.queryKey) ? last.current.answer : undefined;
  const old = query.data ?? kept;
  return isPassing(query.error) && old !== undefined ? { ...query, data: old, isPlaceholderData: true } : query;
}

/**
 * Several questions that make one chart: all of their answers, or none. Until all are here, the last ones stay, marked
 * as old, if they are of the same questions.
 */
export function useReports<R = Row>(requests: readonly ApiRequest[]) {
  const { isNear } = useNear();
  const options = requests.map((request) => ({ ...reportOptions<R>(request), enabled: isNear }));
  const queries = useQueries({ queries: options });
  // The same one while it is shown: whoever asks again keeps it (outage.ts).
  const asked = useRef(queries);
  asked.current = queries;
  const refetch = useCallback(() => Promise.all(asked.current.map((query) => query.refetch())), []);
  const last = useRef<{ question: string; answers: readonly Answer<R>[] }>(undefined);
  // As many times as there are parts of the period: the question is the same.
  const question = [...new Set(options.map(({ queryKey }) => questionOf(queryKey)))].join();
  const answers = queries.flatMap(({ data }) => data ?? []);
  const isComplete = answers.length === requests.length;
  if (isComplete) last.current = { question, answers };
  const data = last.current?.question === question ? last.current.answers : undefined;
  return {
    data,
    isPending: data === undefined,
    isFetching: queries.some(({ isFetching }) => isFetching),
    isPlaceholderData: data !== undefined && !isComplete,
    fetchStatus: queries.find(({ fetchStatus }) => fetchStatus !== "idle")?.fetchStatus ?? "idle",
    error: queries.find(({ error }) => error)?.error ?? null,
    refetch,
  };
}

type ReportKey = readonly ["report", string, Query, unknown];

/** Parameters that choose a period or filter; all others say what is asked. */
const VIEW_PARAMETERS = new Set([
  "date_from",
  "date_to",
  "compare_from",
  "compare_to",
  "interval",
  "filters",
  "segment",
  "bots",
  "imported",
  "through",
  "max_steps",
]);

function isSameQuestion(one: ReportKey, other: ReportKey): boolean {
  return questionOf(one) === questionOf(other);
}

function questionOf([, path, query, body]: ReportKey): string {
  const asked = Object.entries(query).filter(([name, value]) => value !== undefined && !VIEW_PARAMETERS.has(name));
  return JSON.stringify([path, asked.sort(([one], [other]) => (one < other ? -1 : 1)), body]);
}

/** A second try helps only where nothing is wrong with the request itself. */
export function retryOnce(failures: number, failure: Error): boolean {
  const passing = failure instanceof RequestFailed && (failure.status === 0 || failure.status >= 500);
  return passing && failures < 1;
}

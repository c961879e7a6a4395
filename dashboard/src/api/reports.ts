import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ApiRequest, call, type Query } from "./client.ts";
import { RequestFailed } from "./failure.ts";

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

/** The envelope of every report. */
export interface Report<R = Row> {
  meta: readonly { name: string; type: string }[];
  data: readonly R[];
  rows: number;
  rows_before_limit_at_least: number;
  statistics: { elapsed: number; rows_read: number; bytes_read: number };
}

/** How long an answer counts as current. Panels that show "now" ask more often by themselves. */
const FRESH_MS = 30_000;

export function reportRequest(name: string, query: Query): ApiRequest {
  return { path: `/v0/${name}`, query };
}

export function reportOptions<R = Row>(request: ApiRequest) {
  return queryOptions({
    queryKey: ["report", request.path, request.query ?? {}, request.body ?? null] as const,
    queryFn: ({ signal }) => call<Report<R>>({ ...request, signal }),
    staleTime: FRESH_MS,
    retry: retryOnce,
  });
}

export function useReport<R = Row>(request: ApiRequest, enabled = true) {
  return useQuery({ ...reportOptions<R>(request), enabled, placeholderData: (before) => before });
}

/** A second try helps only where nothing is wrong with the request itself. */
export function retryOnce(failures: number, failure: unknown): boolean {
  const passing = failure instanceof RequestFailed && (failure.status === 0 || failure.status >= 500);
  return passing && failures < 1;
}

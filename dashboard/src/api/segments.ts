/** The saved segments of a project. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Condition } from "../format/condition.ts";
import { type ApiRequest, call } from "./client.ts";
import { retryOnce } from "./reports.ts";

export interface Segment {
  id: string;
  title: string;
  filters: readonly Condition[];
}

export const segmentPath = (id: string) => `/v0/segments/${encodeURIComponent(id)}`;

/** The service keeps no more of a project. */
const ALL = 200;
const FRESH_MS = 60_000;

/** The newest first. */
export function useSegments(project: string | undefined, enabled = true) {
  return useQuery({
    queryKey: ["segments", project],
    queryFn: async ({ signal }) => {
      const query = { project_id: project, size: ALL };
      return (await call<{ data: readonly Segment[] }>({ path: "/v0/segments", query, isFirst: true, signal })).data;
    },
    enabled: enabled && project !== undefined,
    staleTime: FRESH_MS,
    retry: retryOnce,
  });
}

/** A write after which segments are read again. */
export function useSegmentWrite<T, V = void>(toRequest: (value: V) => ApiRequest, onDone?: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => call<T>(toRequest(value)),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await client.invalidateQueries({ queryKey: ["segments"] });
    },
  });
}

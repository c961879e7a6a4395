/** Scheduled reports: what the API answers, and how the page asks for it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ScheduleBody, ScheduleRunView, ScheduleView } from "../../../src/contract/report-schedules.ts";
import { type ApiRequest, call } from "./client.ts";
import { retryOnce } from "./reports.ts";

export type Schedule = ScheduleView;
export type ScheduleDraft = Required<Omit<ScheduleBody, "project_id" | "active">>;
export type ScheduleRun = ScheduleRunView;

interface Listed {
  data: readonly Schedule[];
  mail_is_configured: boolean;
}

const KEY = "schedules";
export const SCHEDULES_PATH = "/v0/report_schedules";
export const schedulePath = (id: string) => `${SCHEDULES_PATH}/${encodeURIComponent(id)}`;
/** The owner of an address may confirm it while the page is open. */
const AGAIN_MS = 15_000;

/** All of a project: there are at most 20. */
export function useSchedules(project: string | undefined) {
  return useQuery({
    queryKey: [KEY, project],
    queryFn: ({ signal }) => call<Listed>({ path: SCHEDULES_PATH, query: { project_id: project }, signal }),
    refetchInterval: AGAIN_MS,
    retry: retryOnce,
    enabled: project !== undefined,
  });
}

/** The reports that were sent, newest first. */
export function useRuns(id: string) {
  return useQuery({
    queryKey: [KEY, "runs", id],
    queryFn: ({ signal }) => call<{ data: readonly ScheduleRun[] }>({ path: `${schedulePath(id)}/runs`, signal }),
    refetchInterval: AGAIN_MS,
    retry: retryOnce,
  });
}

/** A change, after which the schedules and their reports are read again. */
export function useScheduleWrite<T, V = void>(toRequest: (value: V) => ApiRequest, onDone?: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => call<T>(toRequest(value)),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await client.invalidateQueries({ queryKey: [KEY] });
    },
  });
}

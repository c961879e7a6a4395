/** The first day on which a project has events: "all time" begins with it, and nothing is compared with days before. */
import { useQuery } from "@tanstack/react-query";
import { addMonths, type Day, toDay } from "../format/days.ts";
import { wallNow } from "../format/zone.ts";
import { call } from "./client.ts";

/** Where the first day cannot be found out, because the engine does not answer. */
const LONG_AGO_MONTHS = 60;
const EMPTY_EVERY_MS = 3000;

interface FirstDays {
  data: readonly { project_id: string; first_day: Day | null }[];
}

/**
 * Undefined while it is asked for, null if the project has no event. `workspace` is that of another project than the one
 * of the page: its first event is not waited for.
 */
export function useFirstDay(project: string | undefined, workspace?: string): Day | null | undefined {
  const { data, error } = useQuery({
    queryKey: ["first-day", project],
    queryFn: ({ signal }) => findFirstDay(project ?? "", workspace, signal),
    enabled: project !== undefined,
    staleTime: 300_000,
    // The first event may be stored between this answer and the opening of the stream.
    refetchInterval: ({ state }) => (state.data === null && workspace === undefined ? EMPTY_EVERY_MS : false),
    retry: false,
  });
  if (project === undefined) return null;
  return error === null ? data : addMonths(toDay(wallNow()), -LONG_AGO_MONTHS);
}

async function findFirstDay(
  project_id: string,
  workspace: string | undefined,
  signal: AbortSignal,
): Promise<Day | null> {
  const { data } = await call<FirstDays>({
    path: "/v0/first_days",
    query: { project_id },
    signal,
    isFirst: true,
    ...(workspace === undefined ? {} : { workspace }),
  });
  return data[0]?.first_day ?? null;
}

/** The first day on which a project has events: "all time" begins with it, and nothing is compared with days before. */
import { useQuery } from "@tanstack/react-query";
import { addDays, addMonths, type Day, toDay } from "../state/days.ts";
import { call } from "./client.ts";
import { type Report, reportRequest } from "./reports.ts";

/** No event is older: 1970 would make 300 more rows for nobody. */
const EARLIEST = "1995-01-01";
/** Where the first day cannot be found out, because the engine does not answer. */
const LONG_AGO_MONTHS = 60;

/** Undefined while it is asked for, null if the project has no event. */
export function useFirstDay(project: string | undefined): Day | null | undefined {
  const { data, error } = useQuery({
    queryKey: ["first-day", project],
    queryFn: ({ signal }) => findFirstDay(project ?? "", signal),
    enabled: project !== undefined,
    staleTime: 300_000,
    retry: false,
  });
  if (project === undefined) return null;
  return error === null ? data : addMonths(toDay(Date.now()), -LONG_AGO_MONTHS);
}

/** The month first, then its days: 400 rows instead of 10,000. */
async function findFirstDay(project: string, signal: AbortSignal): Promise<Day | null> {
  const today = toDay(Date.now());
  const month = await firstBucket(project, { from: EARLIEST, to: today, interval: "month" }, signal);
  if (month === undefined) return null;
  const last = addDays(addMonths(month, 1), -1);
  return (await firstBucket(project, { from: month, to: last, interval: "day" }, signal)) ?? null;
}

async function firstBucket(
  project: string,
  { from, to, interval }: { from: Day; to: Day; interval: "month" | "day" },
  signal: AbortSignal,
): Promise<Day | undefined> {
  const request = reportRequest("kpis", { project_id: project, date_from: from, date_to: to, interval });
  const { data } = await call<Report<{ date: string; sessions: number }>>({ ...request, signal });
  return data.find(({ sessions }) => sessions > 0)?.date;
}

/**
 * Whose days the windows of an alert are: those of the project's time zone. A statement of SQL about days has days of
 * UTC, as all SQL of users: with a day of the zone that is over, the day of UTC with its name may not be.
 */
import { UTC } from "../../lib/time-zones.ts";
import { hasBothTimes } from "../../query/sql/bind-dates.ts";
import type { Metric } from "./metric.ts";
import type { MetricOwner, SourceDeps } from "./sources.ts";
import { type Calendar, calendarOf } from "./windows.ts";

/** Any day will do: it is asked what kind of question a chart has. */
const SOME_DAYS = { date_from: "2026-01-01", date_to: "2026-01-01" };

export async function findCalendar(
  { getChartNumber }: Pick<SourceDeps, "getChartNumber">,
  { workspaceId, projects: [project] }: MetricOwner,
  metric: Metric,
): Promise<Calendar> {
  const { timezone: zone = UTC } = project;
  const { source } = metric;
  if (!metric.isInDays || zone === UTC) return calendarOf(metric, UTC);
  const isOfUtc =
    (source.kind === "sql" && !hasBothTimes(source.query)) ||
    (source.kind === "chart" &&
      (await getChartNumber(workspaceId, project.id, source.chartId, SOME_DAYS)).kind === "sql");
  return calendarOf(metric, isOfUtc ? UTC : zone);
}

/** Funnels and paths need both dates. Older requests name them dateFrom and dateTo. */
import type { ReportQuery } from "../../contract/analytics.ts";
import type { Failures } from "../filters/filters.ts";

interface Dates {
  readonly date_from?: string;
  readonly date_to?: string;
}

export function datesOf({ date_from, date_to, dateFrom, dateTo }: ReportQuery): Dates {
  const from = date_from ?? dateFrom;
  const to = date_to ?? dateTo;
  return {
    ...(typeof from === "string" ? { date_from: from } : {}),
    ...(typeof to === "string" ? { date_to: to } : {}),
  };
}

export function requireDates(query: ReportQuery, failures: Failures): void {
  const dates = datesOf(query);
  for (const name of ["date_from", "date_to"] as const)
    if (dates[name] === undefined) failures.set(`query.${name}`, "is required");
}

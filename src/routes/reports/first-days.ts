import { FirstDaysAnswer, FirstDaysQuery } from "../../contract/first-days.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { firstDays } from "../../query/values/first-days.ts";

export function firstDayRoutes({ runLookup }: { runLookup: RunLookup }): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/first_days",
      operationId: "firstDays",
      tag: "Analytics",
      summary: "The first day with events",
      description: "Of each project. Cheap, however many events there are: for the beginning of all time.",
      access: "query:read",
      query: FirstDaysQuery,
      answers: { 200: FirstDaysAnswer },
      async handle({ key, db, parts: { query }, signal, charge }) {
        const owner = await getReportOwner(db, key, query.project_id);
        return { status: 200, body: await runLookup(firstDays, owner, signal, charge) };
      },
    }),
  ];
}

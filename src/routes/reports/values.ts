import { ValuesAnswer, ValuesQuery } from "../../contract/values.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { Known } from "../../query/report/question.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { type FindSegment, readWithSegment } from "../../query/run/with-segment.ts";
import { listValues, readValues } from "../../query/values/values.ts";

interface ValueNeeds {
  runLookup: RunLookup;
  findSegment: FindSegment;
}

export function valueRoutes({ runLookup, findSegment }: ValueNeeds): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/distinct_values",
      operationId: "distinctValues",
      tag: "Analytics",
      summary: "Values of a filter field",
      description:
        "For choosing the value of a filter. Fields of the session count sessions by their first touch, fields of the event count events.",
      access: "query:read",
      query: ValuesQuery,
      check: ({ query }, nowMs) => readValues(query as ValuesQuery, nowMs),
      answers: { 200: ValuesAnswer },
      async handle({ key, db, parts: { query }, checked, nowMs, signal, charge }) {
        const owner = await getReportOwner(db, key, query.project_id, query.bots);
        const read = (known: Known) => readValues(query, nowMs, known);
        const question = await readWithSegment(findSegment, owner, query, checked, read);
        return { status: 200, body: await runLookup(listValues(question), owner, signal, charge) };
      },
    }),
  ];
}

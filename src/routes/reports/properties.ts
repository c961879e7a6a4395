import { PropertiesAnswer, PropertiesQuery } from "../../contract/properties.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { Known } from "../../query/report/question.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { type FindSegment, readWithSegment } from "../../query/run/with-segment.ts";
import { listProperties, readProperties } from "../../query/values/properties.ts";

interface PropertyNeeds {
  runLookup: RunLookup;
  findSegment: FindSegment;
}

export function propertyRoutes({ runLookup, findSegment }: PropertyNeeds): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/event_properties",
      operationId: "eventProperties",
      tag: "Analytics",
      summary: "Properties that events have",
      description: "The keys of events' properties, with an example each, for choosing the condition of a step.",
      access: "query:read",
      query: PropertiesQuery,
      check: ({ query }, nowMs) => readProperties(query as PropertiesQuery, nowMs),
      answers: { 200: PropertiesAnswer },
      async handle({ key, db, parts: { query }, checked, nowMs, signal, charge }) {
        const owner = await getReportOwner(db, key, query.project_id);
        const read = (known: Known) => readProperties(query, nowMs, known);
        const question = await readWithSegment(findSegment, owner, query, checked, read);
        return { status: 200, body: await runLookup(listProperties(question), owner, signal, charge) };
      },
    }),
  ];
}

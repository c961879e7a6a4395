import { PropertiesAnswer, PropertiesQuery } from "../../contract/properties.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { type Route, readRoute } from "../../http/route.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { listProperties, readProperties } from "../../query/values/properties.ts";

export function propertyRoutes({ runLookup }: { runLookup: RunLookup }): Route[] {
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
      async handle({ key, db, parts: { query }, checked, signal, charge }) {
        const owner = await getReportOwner(db, key, query.project_id);
        return { status: 200, body: await runLookup(listProperties(checked), owner, signal, charge) };
      },
    }),
  ];
}

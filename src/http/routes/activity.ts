import { ActivityAnswer, ActivityEvent, ActivityParams, ActivityQuery } from "../../contract/activity.ts";
import { ApiError } from "../../contract/errors.ts";
import { getReportProjects } from "../../control/report-projects.ts";
import { findActivity, listActivity, readActivity } from "../../query/activity/activity.ts";
import { findPosition } from "../../query/activity/position.ts";
import { JSON_TYPE } from "../headers.ts";
import { type Answer, type Route, readRoute } from "../route.ts";

/** Single events. */
export function activityRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/v0/activity",
      operationId: "listActivity",
      tag: "Analytics",
      summary: "Events, newest first",
      description:
        "Every stored event of the window that meets all conditions, bots included. Fields of filters are those of the event itself. Pages stay as they are while events arrive.",
      access: "query:read",
      query: ActivityQuery,
      check: ({ query }, nowMs) => readActivity(query as ActivityQuery, nowMs),
      answers: { 200: ActivityAnswer },
      async handle({ key, db, query, checked, signal, runLookup }) {
        const projects = await getReportProjects(db, key, query.project_id);
        const owner = { workspaceId: key.workspaceId, projects };
        const { items, nextCursor = null } = await runLookup(listActivity(checked), owner, signal);
        return ofText(
          `{"data":[${items.join(",")}],"has_more":${nextCursor !== null},"next_cursor":${JSON.stringify(nextCursor)}}`,
        );
      },
    }),
    readRoute({
      method: "GET",
      path: "/v0/activity/:eventId",
      operationId: "getActivity",
      tag: "Analytics",
      summary: "One event",
      description: "With its bodies, however long they are.",
      access: "query:read",
      params: ActivityParams,
      answers: { 200: ActivityEvent },
      async handle({ key, db, params, signal, runLookup }) {
        const position = findPosition(params.eventId);
        const owner = { workspaceId: key.workspaceId, projects: await getReportProjects(db, key, undefined) };
        const item = position && (await runLookup(findActivity(position), owner, signal));
        if (item === undefined) throw new ApiError("NOT_FOUND", "There is no such event", { param: "params.eventId" });
        return ofText(item);
      },
    }),
  ];
}

/** The bodies of events are answered as they were sent: see query/activity/item.ts. */
function ofText(text: string): Answer {
  return { status: 200, contentType: JSON_TYPE, text };
}

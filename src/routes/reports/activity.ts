import { ActivityAnswer, ActivityEvent, ActivityParams, ActivityQuery } from "../../contract/activity.ts";
import { ApiError } from "../../contract/errors.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { JSON_TYPE } from "../../http/headers.ts";
import { type Answer, type Route, readRoute } from "../../http/route.ts";
import { findActivity, listActivity, readActivity } from "../../query/activity/activity.ts";
import { findPosition } from "../../query/activity/position.ts";
import type { Known } from "../../query/report/question.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { type FindSegment, readWithSegment } from "../../query/run/with-segment.ts";

interface ActivityNeeds {
  runLookup: RunLookup;
  findSegment: FindSegment;
}

/** Single events. */
export function activityRoutes({ runLookup, findSegment }: ActivityNeeds): Route[] {
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
      async handle({ key, db, parts: { query }, checked, nowMs, signal, charge }) {
        const owner = await getReportOwner(db, key, query.project_id);
        const read = (known: Known) => readActivity(query, nowMs, known);
        const question = await readWithSegment(findSegment, owner, query, checked, read);
        const { items, nextCursor = null } = await runLookup(listActivity(question), owner, signal, charge);
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
      async handle({ key, db, parts: { params }, signal, charge }) {
        const position = findPosition(params.eventId);
        const owner = await getReportOwner(db, key, undefined);
        const item = position && (await runLookup(findActivity(position), owner, signal, charge));
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

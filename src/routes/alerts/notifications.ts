import { listNotifications, markRead } from "../../alerts/notifications.ts";
import { ApiError } from "../../contract/errors.ts";
import {
  NotificationListAnswer,
  NotificationQuery,
  NotificationReadAnswer,
  NotificationReadBody,
} from "../../contract/notifications.ts";
import { pickProject } from "../../control/report-projects.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";

const PEOPLE = { tag: "Alerts", access: "member" } as const;

/** Firings of alerts for people in the dashboard. */
export function notificationRoutes(): Route[] {
  return [listRoute, markRoute];
}

const listRoute = readRoute({
  ...PEOPLE,
  method: "GET",
  path: "/api/notifications",
  operationId: "listNotifications",
  summary: "What alerts have told, and what of it you have not seen",
  query: NotificationQuery,
  answers: { 200: NotificationListAnswer },
  async handle({ key, member, db, parts: { query } }) {
    const { id: projectId } = await pickProject(db, key, query.project_id, "query.project_id");
    const { unread, items } = await listNotifications(db, key.workspaceId, { projectId, userId: member?.userId ?? "" });
    const view = items.map(({ createdAtMs, ...item }) => ({ ...item, createdAt: new Date(createdAtMs).toISOString() }));
    return success({ unread, items: view });
  },
});

const markRoute = writeRoute({
  ...PEOPLE,
  method: "POST",
  path: "/api/notifications/read",
  operationId: "readNotifications",
  summary: "Mark notifications as seen",
  description: "Of one person alone.",
  role: "viewer",
  body: NotificationReadBody,
  answers: { 200: NotificationReadAnswer },
  async handle({ key, member, parts: { body }, nowMs }, tx) {
    const { id: projectId } = await pickProject(tx, key, body.project_id, "body.project_id");
    if (member === undefined) throw new ApiError("UNAUTHORIZED", "Sign in first");
    const untilMs = Math.min(Date.parse(body.until), nowMs);
    await markRead(tx, key.workspaceId, { projectId, userId: member.userId, untilMs });
    return { ...success({ id: projectId }), isUnaudited: true };
  },
});

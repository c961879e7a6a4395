import { DemoAnswer, DemoDeletedAnswer } from "../../contract/demo.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Reader } from "../../control/store.ts";
import { createDemoProject, deleteDemo, findDemo } from "../../demo/project.ts";
import type { DemoRuns } from "../../demo/runs.ts";
import { type Route, readRoute, writeRoute } from "../route.ts";

const TAG = "Settings";

/** The project of invented events. */
export function demoRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/demo",
      operationId: "getDemo",
      tag: TAG,
      summary: "The demo of the workspace",
      access: "member",
      answers: { 200: DemoAnswer },
      async handle({ key, db, demos, nowMs, findLogLag }) {
        const oldestMs = nowMs - (findLogLag() ?? 0) * 1000;
        const data = await describeDemo(db, key.workspaceId, demos, oldestMs);
        return { status: 200, body: { isSuccess: true, data } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/api/demo",
      operationId: "createDemo",
      tag: TAG,
      summary: "Create a project of invented events",
      description:
        "100 days of an invented exchange, about 25,000 events, with notes and a form with answers. They are sent to the events server while you wait: ask for the state. While a live stream of the project is open, one to three more arrive every second, at most 10,000 a day.",
      access: "member",
      role: "admin",
      answers: { 201: DemoAnswer },
      async handle({ key, nowMs, secret, demos }, tx) {
        if (await findDemo(tx, key.workspaceId)) throw new ApiError("CONFLICT", "The workspace has a demo already");
        const { project, writeKey } = await createDemoProject(tx, key.workspaceId, secret, nowMs);
        demos.start(key.workspaceId, project.id, writeKey, nowMs);
        const data = { state: "sending", projectId: project.id, done: 0, total: 1, message: null };
        return { status: 201, body: { isSuccess: true, data }, audit: { target: project.id } };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/api/demo",
      operationId: "deleteDemo",
      tag: TAG,
      summary: "Delete the demo with its events, notes and form",
      access: "member",
      role: "admin",
      answers: { 200: DemoDeletedAnswer },
      async handle({ key, nowMs }, tx) {
        const demo = await findDemo(tx, key.workspaceId);
        if (demo !== undefined) await deleteDemo(tx, demo, nowMs);
        return { status: 200, body: { isSuccess: true, data: { id: demo?.id ?? null } } };
      },
    }),
  ];
}

/** `oldestMs`: every event accepted before it is in reports. */
async function describeDemo(db: Reader, workspaceId: string, demos: DemoRuns, oldestMs: number) {
  const project = await findDemo(db, workspaceId);
  const nothing = { done: 0, total: 1, message: null };
  if (project === undefined) return { state: "none", projectId: null, ...nothing };
  const run = demos.find(workspaceId);
  // Sent by another node, or before the last start.
  if (run?.projectId !== project.id) return { state: "ready", projectId: project.id, ...nothing };
  const { state, sentAtMs = 0, done, total, message } = run;
  const isStored = oldestMs > sentAtMs;
  return {
    state: state === "sent" ? (isStored ? "ready" : "sending") : state,
    projectId: project.id,
    done,
    total,
    message: message ?? null,
  };
}

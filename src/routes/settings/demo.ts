import { DemoAnswer, DemoDeletedAnswer } from "../../contract/demo.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Reader } from "../../control/store.ts";
import { createTask, findProjectTask, type Task } from "../../control/tasks.ts";
import { createDemoProject, deleteDemo, findDemo } from "../../demo/project.ts";
import { DEMO_TASK } from "../../demo/task.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";

const MEMBER = { tag: "Settings", access: "member" } as const;

export interface DemoNeeds {
  /** Seconds from accepting an event to storing it; undefined on a node that accepts none. */
  findLogLag: () => number | undefined;
  /** The installation's, behind the demo's write key. */
  secret: Buffer;
}

/** The project of invented events. */
export function demoRoutes(needs: DemoNeeds): Route[] {
  return [getDemoRoute(needs), createDemoRoute(needs), deleteDemoRoute];
}

const getDemoRoute = ({ findLogLag }: DemoNeeds) =>
  readRoute({
    ...MEMBER,
    method: "GET",
    path: "/api/demo",
    operationId: "getDemo",
    summary: "The demo of the workspace",
    answers: { 200: DemoAnswer },
    async handle({ key, db, nowMs }) {
      const oldestMs = nowMs - (findLogLag() ?? 0) * 1000;
      return success(await describeDemo(db, key.workspaceId, oldestMs));
    },
  });

const createDemoRoute = ({ secret }: DemoNeeds) =>
  writeRoute({
    ...MEMBER,
    method: "POST",
    path: "/api/demo",
    operationId: "createDemo",
    summary: "Create a project of invented events",
    description:
      "100 days of an invented exchange, about 25,000 events, with notes and a form with answers. They are sent while you wait: ask for the state. While a live stream of the project is open, one to three more arrive every second, at most 10,000 a day.",
    role: "admin",
    answers: { 201: DemoAnswer },
    async handle({ key, nowMs }, tx) {
      if (await findDemo(tx, key.workspaceId)) throw new ApiError("CONFLICT", "The workspace has a demo already");
      const { project } = await createDemoProject(tx, key.workspaceId, secret, nowMs);
      await createTask(tx, key.workspaceId, { projectId: project.id, kind: DEMO_TASK }, nowMs);
      const data = { state: "sending", projectId: project.id, done: 0, total: 1, message: null };
      return { status: 201, body: { isSuccess: true, data }, audit: { target: project.id } };
    },
  });

const deleteDemoRoute = writeRoute({
  ...MEMBER,
  method: "DELETE",
  path: "/api/demo",
  operationId: "deleteDemo",
  summary: "Delete the demo with its events, notes and form",
  role: "admin",
  answers: { 200: DemoDeletedAnswer },
  async handle({ key, nowMs }, tx) {
    const demo = await findDemo(tx, key.workspaceId);
    if (demo !== undefined) await deleteDemo(tx, demo, nowMs);
    return success({ id: demo?.id ?? null });
  },
});

/** `oldestMs`: every event accepted before it is in reports. */
async function describeDemo(db: Reader, workspaceId: string, oldestMs: number) {
  const project = await findDemo(db, workspaceId);
  const nothing = { done: 0, total: 1, message: null };
  if (project === undefined) return { state: "none", projectId: null, ...nothing };
  const task = await findProjectTask(db, workspaceId, { projectId: project.id, kind: DEMO_TASK });
  // Sent by the command.
  if (task === undefined) return { state: "ready", projectId: project.id, ...nothing };
  const { done, total } = task;
  return { ...stateOf(task, oldestMs), projectId: project.id, done, total };
}

function stateOf({ state, endedAtMs, message }: Task, oldestMs: number): { state: string; message: string | null } {
  if (state === "failed") return { state, message };
  if (state === "cancelled") return { state: "failed", message: "It was cancelled" };
  const isStored = endedAtMs !== null && oldestMs > endedAtMs;
  return { state: isStored ? "ready" : "sending", message: null };
}

import { ApiError } from "../../contract/errors.ts";
import { TASK_LIST_LIMIT, TaskCancelledAnswer, TaskListAnswer, TaskParams } from "../../contract/tasks.ts";
import { cancelTask, listTasks, type Task } from "../../control/tasks.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";

const common = { tag: "Settings", access: "member" } as const;

/** Long work of the service for the workspace. */
export function taskRoutes(): Route[] {
  return [
    readRoute({
      ...common,
      method: "GET",
      path: "/api/tasks",
      operationId: "listTasks",
      summary: "List long work and its progress",
      description: `The newest ${TASK_LIST_LIMIT} tasks of the workspace. Work goes on after a restart of the service.`,
      answers: { 200: TaskListAnswer },
      handle: async ({ key, db }) => success((await listTasks(db, key.workspaceId, TASK_LIST_LIMIT)).map(toView)),
    }),
    writeRoute({
      ...common,
      method: "POST",
      path: "/api/tasks/:taskId/cancel",
      operationId: "cancelTask",
      summary: "Cancel a task",
      description: "What it has done stays.",
      role: "admin",
      params: TaskParams,
      answers: { 200: TaskCancelledAnswer },
      async handle({ key, parts: { params }, nowMs }, tx) {
        const { taskId } = params;
        if (!(await cancelTask(tx, key.workspaceId, taskId, nowMs)))
          throw new ApiError("NOT_FOUND", "There is no such task that has not ended", { param: "taskId" });
        return success({ id: taskId });
      },
    }),
  ];
}

function toView({ id, kind, projectId, state, done, total, message, createdAtMs, endedAtMs }: Task) {
  const times = {
    createdAt: new Date(createdAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
  };
  return { id, kind, projectId, state, done, total, message, ...times };
}

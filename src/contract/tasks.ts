import { success, time } from "./account.ts";
import { Type } from "./type.ts";

export const TASK_LIST_LIMIT = 100;

const Task = Type.Object({
  id: Type.String(),
  kind: Type.String({
    description:
      "`demo`: the events of the demo are sent. `import`: a file is imported; `done` and `total` are bytes of it.",
  }),
  projectId: Type.String(),
  state: Type.String({ enum: ["waiting", "running", "done", "failed", "cancelled"] }),
  done: Type.Integer({ minimum: 0 }),
  total: Type.Integer({ minimum: 0 }),
  message: Type.Union([Type.String(), Type.Null()], { description: "Why it failed." }),
  createdAt: time,
  endedAt: Type.Union([time, Type.Null()]),
});

export const TaskParams = Type.Object({ taskId: Type.String({ maxLength: 64 }) });
export const TaskListAnswer = success(Type.Array(Task));
export const TaskCancelledAnswer = success(Type.Object({ id: Type.String() }));

import type { Command } from "commander";
import { TASK_LIST_LIMIT } from "../contract/tasks.ts";
import { cancelTask, listTasks } from "../control/tasks.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows } from "./output.ts";

export function addTaskCommands(program: Command, deps: CliDeps): void {
  const tasks = program
    .command("tasks")
    .description("show long work of the service and its progress, newest first")
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const rows = (await listTasks(store.read, workspace.id, TASK_LIST_LIMIT)).map((task) => ({
          id: task.id,
          kind: task.kind,
          projectId: task.projectId,
          state: task.state,
          done: task.done,
          total: task.total,
          message: task.message,
          createdAt: isoOrNull(task.createdAtMs),
          endedAt: isoOrNull(task.endedAtMs),
        }));
        printRows(command, deps, rows, "There is no long work.");
      }),
    );
  tasks
    .command("cancel <taskId>")
    .description("cancel a task; what it has done stays")
    .option(...WORKSPACE_OPTION)
    .action((taskId: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await store.write((tx) => cancelTask(tx, workspace.id, taskId, deps.clock.nowMs()));
        if (!done) throw new CliError(`the workspace has no task ${taskId} that has not ended`);
        printOne(command, deps, { id: taskId }, `Cancelled ${taskId}.`);
      }),
    );
}

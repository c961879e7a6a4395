import type { Command } from "commander";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { printOne } from "./output.ts";
import { createProgressBar } from "./progress.ts";

export function addDemoCommand(program: Command, deps: CliDeps): void {
  program
    .command("demo")
    .description("create a project with 100 days of invented events, notes and a form, sent to the running service")
    .option(...WORKSPACE_OPTION)
    .option("--delete", "delete the project, its events, notes and form")
    .action((options: { workspace?: string; delete?: true }, command: Command) =>
      options.delete ? removeDemo(deps, options, command) : makeDemo(deps, options, command),
    );
}

async function makeDemo(deps: CliDeps, options: { workspace?: string }, command: Command): Promise<void> {
  const [{ createDemoProject, findDemo }, { createTryPost, sendDemo }] = await Promise.all([
    import("../demo/project.ts"),
    import("../demo/send.ts"),
  ]);
  const eventsUrl = deps.eventsUrl();
  if (eventsUrl === undefined) throw new CliError("the service does not run: start it with `npm start` first");
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const known = await findDemo(store.read, workspace.id);
    if (known) throw new CliError(`the workspace has a demo: ${known.id}; \`sextant demo --delete\` deletes it`);
    const nowMs = deps.clock.nowMs();
    const { project, writeKey } = await store.write((tx) => createDemoProject(tx, workspace.id, secret, nowMs));
    const bar = createProgressBar(deps);
    const { signal } = new AbortController();
    const sent = await sendDemo(
      createTryPost({ eventsUrl, writeKey }, signal),
      { nowMs, from: 0, signal },
      ({ done, total }) => bar.show({ what: "events", done, total }),
    )
      .catch((cause: unknown) => {
        throw new CliError(`${(cause as Error).message}; \`sextant demo --delete\` deletes what was sent`);
      })
      .finally(bar.end);
    const message = `Sent ${sent} invented events to project ${project.id} (${project.name}).`;
    printOne(command, deps, { id: project.id, name: project.name, events: sent }, message);
  });
}

async function removeDemo(deps: CliDeps, options: { workspace?: string }, command: Command): Promise<void> {
  const { deleteDemo, findDemo } = await import("../demo/project.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const demo = await findDemo(store.read, workspace.id);
    if (demo === undefined) throw new CliError("the workspace has no demo");
    await store.write((tx) => deleteDemo(tx, demo, deps.clock.nowMs()));
    const message = `Deleted project ${demo.id} (${demo.name}). Its events are removed within minutes.`;
    printOne(command, deps, { id: demo.id, name: demo.name }, message);
  });
}

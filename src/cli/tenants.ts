import type { Command } from "commander";
import {
  createProject,
  createWorkspace,
  deleteProject,
  listProjects,
  listWorkspaces,
  renameProject,
  renameWorkspace,
  setExcludeBots,
  setTimeZone,
} from "../control/tenants.ts";
import { isTimeZone } from "../lib/time-zones.ts";
import { getWorkspace, readName, WORKSPACE_OPTION, withStore, writeUnique } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows } from "./output.ts";
import { addRetentionCommands, describeDays } from "./retention.ts";

export function addTenantCommands(program: Command, deps: CliDeps): void {
  const workspaces = program.command("workspaces").description("create and list workspaces");
  workspaces
    .command("list")
    .description("list all workspaces")
    .action((_options: object, command: Command) =>
      withStore(deps, async (store) => {
        const rows = (await listWorkspaces(store.read)).map((w) => ({
          id: w.id,
          name: w.name,
          createdAt: isoOrNull(w.createdAtMs),
        }));
        printRows(command, deps, rows, "There is no workspace yet.");
      }),
    );
  workspaces
    .command("create <name>")
    .description("create a workspace")
    .action((name: string, _options: object, command: Command) =>
      withStore(deps, async (store) => {
        const made = await store.write((tx) => createWorkspace(tx, readName(name), deps.clock.nowMs()));
        printOne(command, deps, { id: made.id, name: made.name }, `Created workspace ${made.id} (${made.name}).`);
      }),
    );
  workspaces
    .command("rename <workspaceId> <name>")
    .description("rename a workspace")
    .action((workspaceId: string, name: string, _options: object, command: Command) =>
      withStore(deps, async (store) => {
        const done = await store.write((tx) => renameWorkspace(tx, workspaceId, readName(name)));
        if (!done) throw new CliError(`there is no workspace ${workspaceId}`);
        printOne(command, deps, { id: workspaceId, name: name.trim() }, `Renamed ${workspaceId} to ${name.trim()}.`);
      }),
    );
  addProjectCommands(program, deps);
}

function addProjectCommands(program: Command, deps: CliDeps): void {
  const projects = program.command("projects").description("create and list the projects of a workspace");
  projects
    .command("list")
    .description("list the projects of a workspace")
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const rows = (await listProjects(store.read, workspace.id)).map((p) => ({
          id: p.id,
          name: p.name,
          bots: p.excludeBots ? "left out" : "counted",
          events: `kept ${describeDays(p.retentionDays)}`,
          timezone: p.timezone,
          createdAt: isoOrNull(p.createdAtMs),
        }));
        printRows(command, deps, rows, "The workspace has no project yet.");
      }),
    );
  addNaming(projects, deps);
  addDeletion(projects, deps);
  addBots(projects, deps);
  addTimeZone(projects, deps);
  addRetentionCommands(program, projects, deps);
}

function addNaming(projects: Command, deps: CliDeps): void {
  projects
    .command("create <name>")
    .description("create a project")
    .option(...WORKSPACE_OPTION)
    .action((name: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const wanted = readName(name);
        const made = await writeUnique(store, `the workspace already has a project named ${wanted}`, (tx) =>
          createProject(tx, workspace.id, wanted, deps.clock.nowMs()),
        );
        printOne(
          command,
          deps,
          { id: made.id, name: made.name, workspaceId: workspace.id },
          `Created project ${made.id} (${made.name}).`,
        );
      }),
    );
  projects
    .command("rename <projectId> <name>")
    .description("rename a project")
    .option(...WORKSPACE_OPTION)
    .action((projectId: string, name: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await writeUnique(store, `the workspace already has a project named ${name.trim()}`, (tx) =>
          renameProject(tx, workspace.id, projectId, readName(name)),
        );
        if (!done) throw new CliError(`the workspace has no project ${projectId}`);
        printOne(command, deps, { id: projectId, name: name.trim() }, `Renamed ${projectId} to ${name.trim()}.`);
      }),
    );
}

function addDeletion(projects: Command, deps: CliDeps): void {
  projects
    .command("delete <projectId>")
    .description("delete a project with its keys and events")
    .option(...WORKSPACE_OPTION)
    .option("--yes", "really delete it")
    .action((projectId: string, options: { workspace?: string; yes?: true }, command: Command) =>
      withStore(deps, async (store) => {
        const workspace = await getWorkspace(store.read, options.workspace);
        if (!options.yes) throw new CliError(`this deletes ${projectId} with all its events for good: add --yes`);
        const done = await store.write((tx) => deleteProject(tx, workspace.id, projectId, deps.clock.nowMs()));
        if (!done) throw new CliError(`the workspace has no project ${projectId}`);
        const message = `Deleted project ${projectId} and revoked its keys. Its events are removed within minutes.`;
        printOne(command, deps, { id: projectId }, message);
      }),
    );
}

function addTimeZone(projects: Command, deps: CliDeps): void {
  projects
    .command("timezone <projectId> <name>")
    .description("set the time zone whose days reports count, such as Europe/Berlin")
    .option(...WORKSPACE_OPTION)
    .action((projectId: string, timezone: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        if (!isTimeZone(timezone)) throw new CliError(`there is no time zone ${timezone}`);
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await store.write((tx) => setTimeZone(tx, workspace.id, projectId, timezone));
        if (!done) throw new CliError(`the workspace has no project ${projectId}`);
        const message = `Reports of ${projectId} count the days of ${timezone} from now on.`;
        printOne(command, deps, { id: projectId, timezone }, message);
      }),
    );
}

function addBots(projects: Command, deps: CliDeps): void {
  projects
    .command("bots <projectId> <count|exclude>")
    .description("set whether reports count bots; their events are stored either way")
    .option(...WORKSPACE_OPTION)
    .action((projectId: string, choice: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        if (choice !== "count" && choice !== "exclude") throw new CliError("say count or exclude");
        const workspace = await getWorkspace(store.read, options.workspace);
        const excludeBots = choice === "exclude";
        const done = await store.write((tx) => setExcludeBots(tx, workspace.id, projectId, excludeBots));
        if (!done) throw new CliError(`the workspace has no project ${projectId}`);
        const message = `Reports of ${projectId} ${excludeBots ? "exclude bots" : "count bots"} from now on.`;
        printOne(command, deps, { id: projectId, excludeBots }, message);
      }),
    );
}

/** Imports and removes days that another product counted. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { recordAudit } from "../accounts/audit.ts";
import type { ControlStore } from "../control/store.ts";
import { getProjectId, getWorkspace, withStore } from "./context.ts";
import { type CliDeps, CliError, type EventsAdmin } from "./deps.ts";
import { count, sayPlainly } from "./import-files.ts";
import { printOne } from "./output.ts";

export interface DaysOptions {
  workspace?: string;
  project?: string;
}

export async function runDays(deps: CliDeps, path: string, options: DaysOptions, command: Command): Promise<void> {
  const { importDays } = await import("../imports/days/import-days.ts");
  const { openDaysHere: open } = await import("../imports/days/days-file.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    await withWarehouse(deps, ({ days: warehouse }) =>
      sayPlainly(async () => {
        const given = { store, clock: deps.clock, warehouse, open, signal: new AbortController().signal };
        const done = await importDays(workspace.id, { projectId, path: resolve(path) }, given);
        const left =
          done.leftOut === 0
            ? ""
            : ` Left out ${count(done.leftOut, "day")} with events of the project itself, or after them.`;
        const message = `Imported ${count(done.sums, "sum")} of days from ${done.firstDay} to ${done.lastDay} as ${done.id}.${left}`;
        printOne(command, deps, { ...done }, message);
      }),
    );
  });
}

export async function runDelete(deps: CliDeps, id: string, options: DaysOptions, command: Command): Promise<void> {
  const { deleteImport } = await import("../imports/delete-import.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    await expectDays(store, workspace.id, id);
    await withWarehouse(deps, ({ days: warehouse }) =>
      sayPlainly(async () => {
        const given = { store, clock: deps.clock, warehouse, signal: new AbortController().signal };
        const deletion = await deleteImport(workspace.id, id, given);
        if (deletion === undefined) throw noDays(id);
        const { sums: removed } = deletion;
        const actor = { userId: null, actor: "command line" };
        const entry = { ...actor, action: "deleteImport", target: id, details: { sums: removed } };
        await store.write(async (tx) => {
          await deletion.end(tx);
          await recordAudit(tx, workspace.id, entry, deps.clock.nowMs());
        });
        printOne(command, deps, { id, removed }, `Removed ${count(removed, "sum")} of days.`);
      }),
    );
  });
}

const noDays = (id: string) => new CliError(`there is no import of days ${id}; \`sextant import list\` shows them`);

/** The command removes days alone: who deletes an import of events would expect that they go. */
async function expectDays(store: ControlStore, workspaceId: string, id: string): Promise<void> {
  const { findImport } = await import("../imports/imports-table.ts");
  const { DAYS_SOURCE } = await import("../imports/days/plausible.ts");
  if ((await findImport(store.read, workspaceId, id))?.source !== DAYS_SOURCE) throw noDays(id);
}

async function withWarehouse(deps: CliDeps, work: (warehouse: EventsAdmin) => Promise<void>): Promise<void> {
  const warehouse = await deps.openEvents();
  try {
    await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

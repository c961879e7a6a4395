/** Imports and removes days that another product counted. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { recordAudit } from "../accounts/audit.ts";
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
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    await withWarehouse(deps, ({ days: warehouse }) =>
      sayPlainly(async () => {
        const given = { store, clock: deps.clock, warehouse, signal: new AbortController().signal };
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
  const { deleteDays } = await import("../imports/days/import-days.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    await withWarehouse(deps, async ({ days: warehouse }) => {
      const removed = await deleteDays(workspace.id, id, { store, warehouse });
      if (removed === undefined)
        throw new CliError(`there is no import of days ${id}; \`sextant import list\` shows them`);
      const entry = {
        userId: null,
        actor: "command line",
        action: "deleteImport",
        target: id,
        details: { sums: removed },
      };
      await store.write((tx) => recordAudit(tx, workspace.id, entry, deps.clock.nowMs()));
      printOne(command, deps, { id, removed }, `Removed ${count(removed, "sum")} of days.`);
    });
  });
}

async function withWarehouse(deps: CliDeps, work: (warehouse: EventsAdmin) => Promise<void>): Promise<void> {
  const warehouse = await deps.openEvents();
  try {
    await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

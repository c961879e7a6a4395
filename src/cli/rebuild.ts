import type { Command } from "commander";
import type { CliDeps } from "./deps.ts";
import { printOne } from "./output.ts";

export function addRebuildCommand(program: Command, deps: CliDeps): void {
  program
    .command("rebuild")
    .description("make everything derived from the events anew; reports stay exact meanwhile, and the service goes on")
    .action(async (_options: object, command: Command) => {
      const warehouse = await deps.openEvents();
      try {
        const { done } = await warehouse.rebuild(({ done: built, total }) => deps.err(progressLine(built, total)));
        deps.err("\n");
        printOne(command, deps, { days: done }, `Rebuilt ${done} day${done === 1 ? "" : "s"}.`);
      } finally {
        await warehouse.close();
      }
    });
}

const BAR_CHARS = 30;

function progressLine(done: number, total: number): string {
  const full = total === 0 ? BAR_CHARS : Math.round((done / total) * BAR_CHARS);
  return `\r[${"#".repeat(full)}${"-".repeat(BAR_CHARS - full)}] ${done} of ${total} days`;
}

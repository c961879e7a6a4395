import type { Command } from "commander";
import type { CliDeps } from "./deps.ts";
import { printOne } from "./output.ts";
import { createProgressBar } from "./progress.ts";

export function addRebuildCommand(program: Command, deps: CliDeps): void {
  program
    .command("rebuild")
    .description("make everything derived from the events anew; reports stay exact meanwhile, and the service goes on")
    .action(async (_options: object, command: Command) => {
      const warehouse = await deps.openEvents();
      const bar = createProgressBar(deps);
      try {
        const { done } = await warehouse.rebuild((progress) => bar.show({ ...progress, what: "days" }));
        bar.end();
        printOne(command, deps, { days: done }, `Rebuilt ${done} day${done === 1 ? "" : "s"}.`);
      } finally {
        await warehouse.close();
      }
    });
}

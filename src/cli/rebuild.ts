import type { Command } from "commander";
import type { CliDeps } from "./deps.ts";
import { printOne } from "./output.ts";
import { createProgressBar } from "./progress.ts";

export function addRebuildCommand(program: Command, deps: CliDeps): void {
  program
    .command("rebuild")
    .description("rebuild sessions and rollups from the events; reports stay exact, and the service keeps running")
    .action(async (_options: object, command: Command) => {
      const warehouse = await deps.openEvents();
      const bar = createProgressBar(deps);
      try {
        const { done } = await warehouse.rebuild((progress) => bar.show({ ...progress, what: "steps" }));
        bar.end();
        const message = `Rebuilt ${done} partition${done === 1 ? "" : "s"}; the worker materializes past ones.`;
        printOne(command, deps, { partitions: done }, message);
      } finally {
        await warehouse.close();
      }
    });
}

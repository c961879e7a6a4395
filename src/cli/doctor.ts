import type { Command } from "commander";
import type { CliDeps } from "./deps.ts";
import { wantsJson } from "./output.ts";

/** `setExitCode`: failed checks are reported by their lines, without an additional error. */
export function addDoctorCommand(program: Command, deps: CliDeps, setExitCode: (code: number) => void): void {
  program
    .command("doctor")
    .description("check settings, disk, stores, clocks and ports, running or not; exit code 1 if a check fails")
    .action(async (_options: object, command: Command) => {
      const results = await deps.examine();
      if (wantsJson(command)) deps.out(`${JSON.stringify(results, null, 2)}\n`);
      else
        for (const { status, name, message, advice } of results)
          deps.out(`${status.padEnd(4)}  ${name}: ${message}${advice === undefined ? "" : `\n      -> ${advice}`}\n`);
      if (results.some(({ status }) => status === "fail")) setExitCode(1);
    });
}

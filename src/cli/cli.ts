import { Command, CommanderError } from "commander";
import { addBackupCommands } from "./backup.ts";
import { addBoardCommands } from "./boards.ts";
import { addDemoCommand } from "./demo.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addEventsCommands } from "./events.ts";
import { addFormCommands } from "./forms.ts";
import { addImportCommands } from "./import.ts";
import { addKeyCommands } from "./keys.ts";
import { addMailCommands } from "./mail.ts";
import { addRebuildCommand } from "./rebuild.ts";
import { addTaskCommands } from "./tasks.ts";
import { addTenantCommands } from "./tenants.ts";
import { addUserCommands } from "./users.ts";
import { addWalletCommands } from "./wallets.ts";

const SERVE_HELP = `
Settings are environment variables; docs/configuration.md lists all of them:
  SEXTANT_API_PORT=3100 SEXTANT_EVENTS_PORT=3101 SEXTANT_OPS_PORT=3102 sextant serve
  SEXTANT_DATA_DIR=/var/lib/sextant sextant serve`;

/** Runs one command and returns the exit code. */
export async function runCli(argv: readonly string[], deps: CliDeps): Promise<number> {
  const program = new Command("sextant")
    .description("Self-hosted analytics, event ingestion and form webhooks for onchain apps")
    .version(deps.version)
    .option("--json", "machine-readable output")
    .exitOverride()
    .configureOutput({ writeOut: deps.out, writeErr: deps.err })
    .showHelpAfterError("(run with --help to see what there is)");
  program
    .command("serve")
    .description("start the service; the same as `npm start`")
    .addHelpText("after", SERVE_HELP)
    .action(deps.serve);
  addDemoCommand(program, deps);
  addTenantCommands(program, deps);
  addTaskCommands(program, deps);
  addKeyCommands(program, deps);
  addUserCommands(program, deps);
  addFormCommands(program, deps);
  addMailCommands(program, deps);
  addBoardCommands(program, deps);
  addEventsCommands(program, deps);
  addImportCommands(program, deps);
  addWalletCommands(program, deps);
  addRebuildCommand(program, deps);
  addBackupCommands(program, deps);
  let exitCode = 0;
  addDoctorCommand(program, deps, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : 1;
    if (cause instanceof CliError) {
      deps.err(`sextant: ${cause.message}\n`);
      return 1;
    }
    throw cause;
  }
}

import type { Command } from "commander";
import type { BackupSummary, CliDeps } from "./deps.ts";
import { printOne } from "./output.ts";
import { createProgressBar } from "./progress.ts";

export function addBackupCommands(program: Command, deps: CliDeps): void {
  program
    .command("backup <directory>")
    .description("write everything that cannot be rebuilt into a new directory; works whether the service runs or not")
    .option("--without-secret", "leave out the secret behind the key hashes; a restore then needs SEXTANT_SECRET")
    .action((directory: string, options: { withoutSecret?: boolean }, command: Command) =>
      backup(deps, directory, options.withoutSecret !== true, command),
    );
  program
    .command("restore <directory>")
    .description("fill an empty data directory (and empty databases) from a backup, while the service is stopped")
    .action((directory: string, _options: object, command: Command) => restore(deps, directory, command));
}

async function backup(deps: CliDeps, directory: string, withSecret: boolean, command: Command): Promise<void> {
  const bar = createProgressBar(deps);
  const made = await deps.backup({ dir: directory, withSecret, onProgress: bar.show }).finally(bar.end);
  deps.err(`${SECRET_NOTES[made.secret]}\n`);
  const size = made.files.reduce((sum, file) => sum + file.bytes, 0);
  printOne(command, deps, summary(made), `Backed up ${describe(made)} to ${directory}: ${megabytes(size)}.`);
}

async function restore(deps: CliDeps, directory: string, command: Command): Promise<void> {
  const bar = createProgressBar(deps);
  const made = await deps.restore({ dir: directory, onProgress: bar.show }).finally(bar.end);
  const restored = `Restored ${describe(made)} of ${made.createdAt}.`;
  const message = `${restored} Start the service: it materializes past partitions.`;
  printOne(command, deps, summary(made), message);
}

const SECRET_NOTES: Record<BackupSummary["secret"], string> = {
  included: "Warning: the backup holds the secret behind key hashes and webhook secrets; protect it like the data.",
  "left out":
    "The secret is not in the backup: keep a copy of the data directory's `secret` file, because a restore needs it.",
  setting: "The secret is not in the backup: SEXTANT_SECRET holds it, and a restore needs the same value.",
};

function summary({ files, ...made }: BackupSummary): object {
  return { ...made, files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
}

function describe(made: BackupSummary): string {
  const { workspaces = 0, forms = 0, submissions = 0 } = made.control.rows;
  const { events = 0 } = made.warehouse.rows;
  const collected = `${count(submissions, "submission")} of ${count(forms, "form")}`;
  return `${count(events, "event")}, ${collected} and ${count(workspaces, "workspace")}`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
}

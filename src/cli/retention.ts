import type { Command } from "commander";
import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { IMPORT_LIMITS } from "../contract/import-limits.ts";
import { LIMITS } from "../contract/limits.ts";
import { listRuns, RETAINED, type Retained, resumeRetention, setRetention } from "../control/retention.ts";
import type { Reader } from "../control/store.ts";
import { listProjects, listWorkspaces } from "../control/tenants.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows } from "./output.ts";

const LONGEST_DAYS = 36_500;

const KEPT: Record<Exclude<Retained, "events">, string> = {
  parked_events: `${LIMITS.keptDays} days, or as long as the project's events`,
  deliveries: `${LIMITS.keptDays} days, with their attempts; pending ones until they are settled`,
  alert_firings: `${LIMITS.keptDays} days`,
  submissions: `for ever; those of a deleted form until the next run; suspected spam ${LIMITS.keptDays} days`,
  idempotency: `${LIMITS.idempotencyHours} hours`,
  sessions: `${ACCOUNT_LIMITS.sessionDays} days after their last use; links and challenges until they expire`,
  audit_log: `${ACCOUNT_LIMITS.auditDays} days`,
  uploads: `files to import ${IMPORT_LIMITS.idleDays} days after their last part; lists of refused rows ${IMPORT_LIMITS.keptDays} days`,
};

export function addRetentionCommands(program: Command, projects: Command, deps: CliDeps): void {
  projects
    .command("retention <projectId> <days|forever>")
    .description("set how many days a project keeps its events; older ones are removed within an hour, permanently")
    .option(...WORKSPACE_OPTION)
    .action((projectId: string, choice: string, options: { workspace?: string }, command: Command) =>
      withStore(deps, async (store) => {
        const days = readDays(choice);
        const workspace = await getWorkspace(store.read, options.workspace);
        const done = await store.write((tx) => setRetention(tx, workspace.id, projectId, days));
        if (!done) throw new CliError(`the workspace has no project ${projectId}`);
        const message = `Events of ${projectId} are kept ${describeDays(days)} from now on.`;
        printOne(command, deps, { id: projectId, retentionDays: days }, message);
      }),
    );
  const retention = program
    .command("retention")
    .description("show how long data is kept, when retention last ran, and what it removed")
    .action((_options: object, command: Command) =>
      withStore(deps, async (store) => printRows(command, deps, await describeAll(store.read), "")),
    );
  retention
    .command("resume")
    .description("resume retention after a pause; check this machine's clock first")
    .action((_options: object, command: Command) =>
      withStore(deps, async (store) => {
        const nowMs = deps.clock.nowMs();
        await store.write((tx) => resumeRetention(tx, nowMs));
        const at = new Date(nowMs).toISOString();
        printOne(command, deps, { resumedAt: at }, `Retention resumed; this machine's clock is at ${at}.`);
      }),
    );
}

async function describeAll(db: Reader) {
  const runs = new Map((await listRuns(db)).map((run) => [run.what, run]));
  const row = (what: Retained, of: string, kept: string) => ({
    what,
    of,
    kept,
    lastRun: isoOrNull(runs.get(what)?.ranAtMs ?? null),
    removed: runs.get(what)?.removed ?? null,
  });
  const rows = [];
  for (const workspace of await listWorkspaces(db))
    for (const project of await listProjects(db, workspace.id))
      rows.push(row("events", project.id, describeDays(project.retentionDays)));
  for (const what of RETAINED) if (what !== "events") rows.push(row(what, "all", KEPT[what]));
  return rows;
}

function readDays(text: string): number | null {
  if (text === "forever") return null;
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > LONGEST_DAYS)
    throw new CliError(`say forever, or a whole number of days from 1 to ${LONGEST_DAYS}`);
  return days;
}

export function describeDays(days: number | null): string {
  if (days === null) return "for ever";
  return days === 1 ? "1 day" : `${days} days`;
}

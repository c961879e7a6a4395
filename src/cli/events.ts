import type { Command } from "commander";
import { PARKED_REASONS } from "../contract/event-reasons.ts";
import { listProjects } from "../control/tenants.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError, type EventsAdmin } from "./deps.ts";
import { printOne, printPages, printRows, wantsJson } from "./output.ts";

/** The longest field in a table. */
const SHOWN_CHARS = 200;

/** The lists of the steps name some reasons twice. */
const REASONS = [...new Set<string>(PARKED_REASONS)];
const REASON_OPTION = ["--reason <code>", `only events with this reason: ${REASONS.join(", ")}`] as const;

interface Common {
  workspace?: string;
  project?: string;
}

export function addEventsCommands(program: Command, deps: CliDeps): void {
  const events = program
    .command("events")
    .description("show the outcome of received events; list and replay parked events");
  const withTenant = (command: Command) =>
    command.option(...WORKSPACE_OPTION).option("--project <id>", "one project; default: all projects of the workspace");
  withTenant(
    events.command("ledger").description("received = stored + duplicate + parked + refused, per minute of receipt"),
  )
    .option("--minutes <n>", "how far back", "60")
    .action((options: Common & { minutes: string }, command: Command) => showLedger(deps, options, command));
  withTenant(events.command("parked").description("list parked events with their reasons, newest first"))
    .option(...REASON_OPTION)
    .option("--limit <n>", "maximum number of results", "50")
    .action((options: Common & { reason?: string; limit: string }, command: Command) =>
      showParked(deps, options, command),
    );
  withTenant(
    events.command("replay").description("try parked events again; valid ones are stored under their time of receipt"),
  )
    .option(...REASON_OPTION)
    .option("--id <id>", "only this one")
    .option("--rules <name>", "check by other rules than at receipt: tracked (all twelve fields) or raw (four)")
    .action((options: Common & { reason?: string; id?: string; rules?: string }, command: Command) =>
      replay(deps, options, command),
    );
}

/** Without a check an unknown reason would answer that nothing is parked. */
function checkReason(reason: string | undefined): void {
  if (reason !== undefined && !REASONS.includes(reason))
    throw new CliError(`there is no reason ${reason}; the reasons are ${REASONS.join(", ")}`);
}

/** Opens the warehouse and finds the projects of the command. */
async function withEvents(
  deps: CliDeps,
  options: Common,
  work: (admin: EventsAdmin, projects: string[]) => Promise<void>,
): Promise<void> {
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const all = (await listProjects(store.read, workspace.id)).map((project) => project.id);
    if (options.project !== undefined && !all.includes(options.project))
      throw new CliError(`the workspace has no project ${options.project}`);
    const admin = await deps.openEvents();
    try {
      await work(admin, options.project === undefined ? all : [options.project]);
    } finally {
      await admin.close();
    }
  });
}

async function showLedger(deps: CliDeps, options: Common & { minutes: string }, command: Command): Promise<void> {
  const minutes = readCount("--minutes", options.minutes, 60 * 24 * 400);
  const nowMs = deps.clock.nowMs();
  await withEvents(deps, options, async (admin, projects) => {
    const lines = await admin.ledger(projects, { fromMs: nowMs - minutes * 60_000, toMs: nowMs + 60_000 });
    const rows = lines.map(({ reasons, ...line }) => ({ ...line, reasons: describeReasons(reasons) }));
    printRows(command, deps, rows, "No event was received in that time.");
  });
}

function describeReasons(reasons: Record<string, number>): string {
  return Object.entries(reasons)
    .filter(([, count]) => count !== 0)
    .map(([reason, count]) => `${reason}=${count}`)
    .join(" ");
}

async function showParked(
  deps: CliDeps,
  options: Common & { reason?: string; limit: string },
  command: Command,
): Promise<void> {
  const limit = readCount("--limit", options.limit, 100_000);
  checkReason(options.reason);
  await withEvents(deps, options, async (admin, projects) => {
    const filter = { reason: options.reason, limit };
    if (wantsJson(command)) return printPages(deps, wholeRows(admin.readParked(projects, filter)));
    const rows = [];
    for await (const page of admin.listParked(projects, filter))
      for (const { at, project_id, id, reason, details, head, raw_bytes } of page)
        rows.push({ at, project_id, id, reason, details: shorten(details), raw: shorten(head, raw_bytes) });
    printRows(command, deps, rows, "Nothing is parked.");
  });
}

async function* wholeRows(pages: ReturnType<EventsAdmin["readParked"]>) {
  for await (const page of pages)
    yield page.map(({ at, project_id, id, reason, details, raw }) => ({ at, project_id, id, reason, details, raw }));
}

/** The beginning of a text for people. `bytes` is the full size if the text itself is only a beginning. */
function shorten(text: string, bytes = Buffer.byteLength(text)): string {
  const head = text.slice(0, SHOWN_CHARS).toWellFormed();
  return Buffer.byteLength(head) === bytes ? head : `${head}… (${bytes} bytes, all of it with --json)`;
}

async function replay(
  deps: CliDeps,
  options: Common & { reason?: string; id?: string; rules?: string },
  command: Command,
): Promise<void> {
  const { rules } = options;
  if (rules !== undefined && rules !== "tracked" && rules !== "raw") throw new CliError("--rules is tracked or raw");
  checkReason(options.reason);
  await withEvents(deps, options, async (admin, projects) => {
    const progress = ({ stored, stillInvalid }: { stored: number; stillInvalid: number }) =>
      deps.err(`${stored + stillInvalid} tried, ${stored} stored\n`);
    const result = await admin.replay(projects, { reason: options.reason, id: options.id, rules }, progress);
    if (options.id !== undefined && result.stored + result.stillInvalid === 0)
      throw new CliError(`there is no parked event ${options.id}`);
    printOne(
      command,
      deps,
      { ...result },
      `Stored ${result.stored}; ${result.stillInvalid} are still invalid and stay parked.`,
    );
  });
}

function readCount(name: string, text: string, max: number): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > max) throw new CliError(`${name} is a whole number from 1 to ${max}`);
  return count;
}

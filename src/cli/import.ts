import type { Command } from "commander";
import type { SourceName } from "../imports/sources.ts";
import { getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { type DaysOptions, runDays, runDelete } from "./import-days.ts";
import { type FileOptions, importFiles, type OpenDoor, readMapping } from "./import-files.ts";
import { isoOrNull, printRows } from "./output.ts";

const LISTED = 100;
const PROJECT_OPTION = ["--project <id>", "the project; optional if there is only one"] as const;

const HELP = `
Files are CSV, JSON lines, JSON arrays or Parquet; plain, gzip, zstd, brotli (.br) or zip. The service has to run.
A second start of the same command goes on where the first was cut, and imports no event twice.
  sextant import events umami.csv.gz --from umami --dry-run
  sextant import events 2024.ndjson 2025.ndjson --project prj_...
  sextant import events orders.csv --map timestamp=paid_at --map user_id=customer --set event=Order
docs/import.md tells what each product exports and what becomes of it.`;

const WALLETS_HELP = `
A row is a wallet: its address, properties by their names (display_name, ens, twitter, ...), and labels.
  sextant import wallets holders.csv --map address=wallet --map label.tier=Tier --set label.source=dune --dry-run
docs/import.md lists the fields.`;

export function addImportCommands(program: Command, deps: CliDeps): void {
  const imports = program.command("import").description("bring the history of another product along");
  addEvents(imports, deps);
  addWallets(imports, deps);
  addDays(imports, deps);
  imports
    .command("list")
    .description("show imported files, newest first")
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) => list(deps, options, command));
}

const collect = (value: string, before: string[]) => [...before, value];

function addEvents(imports: Command, deps: CliDeps): void {
  imports
    .command("events <file...>")
    .description("import events from files; rows that are no events are listed in <file>.refused.ndjson")
    .option(...WORKSPACE_OPTION)
    .option(...PROJECT_OPTION)
    .option("--from <product>", "generic, umami, posthog, ga4, matomo, mixpanel, amplitude or segment", "generic")
    .option("--map <field=column>", "generic: the column that holds a field; can be repeated", collect, [])
    .option("--set <field=value>", "generic: one value of a field for every row; can be repeated", collect, [])
    .option("--refused <file>", "where refused rows are listed, for a single file")
    .option("--dry-run", "show the first rows as they would be stored and what would be refused; send nothing")
    .addHelpText("after", HELP)
    .action((files: string[], options: FileOptions & { from: string }, command: Command) =>
      runEvents(deps, files, options, command),
    );
}

function addWallets(imports: Command, deps: CliDeps): void {
  imports
    .command("wallets <file...>")
    .description("import wallets with properties and labels; other rows are listed in <file>.refused.ndjson")
    .option(...WORKSPACE_OPTION)
    .option(...PROJECT_OPTION)
    .option("--map <field=column>", "the column that holds a field; can be repeated", collect, [])
    .option("--set <field=value>", "one value of a field for every row; can be repeated", collect, [])
    .option("--refused <file>", "where refused rows are listed, for a single file")
    .option("--dry-run", "show the first wallets as they would be stored and what would be refused; write nothing")
    .addHelpText("after", WALLETS_HELP)
    .action((files: string[], options: FileOptions, command: Command) => runWallets(deps, files, options, command));
}

function addDays(imports: Command, deps: CliDeps): void {
  imports
    .command("days <path>")
    .description("import the days that Plausible counted, from the zip or the folder of its CSV export")
    .option(...WORKSPACE_OPTION)
    .option(...PROJECT_OPTION)
    .action((path: string, options: DaysOptions, command: Command) => runDays(deps, path, options, command));
  imports
    .command("delete <id>")
    .description("remove the imported days of an import; events of an import stay")
    .option(...WORKSPACE_OPTION)
    .action((id: string, options: DaysOptions, command: Command) => runDelete(deps, id, options, command));
}

async function runEvents(
  deps: CliDeps,
  files: string[],
  options: FileOptions & { from: string },
  command: Command,
): Promise<void> {
  const source = await readSource(options.from);
  const { isMappingTarget, MAPPING_TARGETS } = await import("../imports/from/generic.ts");
  if (source !== "generic" && options.map.length + options.set.length > 0)
    throw new CliError(`--map and --set are for --from generic: the fields of ${source} are known`);
  const mapping = readMapping(options, isMappingTarget, `${MAPPING_TARGETS.join(", ")} or properties.<name>`);
  const { readingEvents } = await import("../imports/reading.ts");
  const kind = {
    reading: readingEvents(source, mapping),
    item: "event",
    openDoor: (at: OpenDoor) => openEvents(deps, at),
  };
  await importFiles(deps, files, { options, kind }, command);
}

/** The events server of the running service, with a write key that ends with the import. */
async function openEvents(deps: CliDeps, { store, secret, workspaceId, projectId }: OpenDoor) {
  const { createHttpDoor } = await import("../imports/http-door.ts");
  const { createImportKeys } = await import("../imports/import-key.ts");
  if (deps.eventsUrl() === undefined) throw new CliError("the service does not run: start it with `npm start` first");
  const keys = createImportKeys(store, workspaceId, { secret, projectId, clock: deps.clock });
  return { door: createHttpDoor({ eventsUrl: deps.eventsUrl, createKey: keys.create }), close: keys.end };
}

async function runWallets(deps: CliDeps, files: string[], options: FileOptions, command: Command): Promise<void> {
  const { isWalletTarget, WALLET_TARGETS } = await import("../imports/map-wallets.ts");
  const { readingWallets } = await import("../imports/reading.ts");
  const { createWalletDoor } = await import("../imports/wallet-door.ts");
  const mapping = readMapping(options, isWalletTarget, `${WALLET_TARGETS.join(", ")} or label.<tag>`);
  const openDoor = async ({ projectId }: OpenDoor) => {
    const warehouse = await deps.openEvents();
    return { door: createWalletDoor(projectId, warehouse.writeWallets, deps.clock.nowMs()), close: warehouse.close };
  };
  await importFiles(
    deps,
    files,
    { options, kind: { reading: readingWallets(mapping), item: "wallet", openDoor } },
    command,
  );
}

async function list(deps: CliDeps, options: { workspace?: string }, command: Command): Promise<void> {
  const { listImports, shownState } = await import("../imports/imports-table.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const found = await listImports(store.read, workspace.id, { limit: LISTED });
    const rows = found.map((made) => ({
      ...{ id: made.id, projectId: made.projectId, source: made.source, file: made.fileName },
      ...{ state: shownState(made, deps.clock.nowMs()), message: made.message },
      ...{ rows: made.cursor.rows, events: made.cursor.events, refused: made.cursor.refused },
      ...{ firstDay: made.days?.firstDay ?? null, lastDay: made.days?.lastDay ?? null },
      ...{ createdAt: isoOrNull(made.createdAtMs), endedAt: isoOrNull(made.endedAtMs) },
    }));
    printRows(command, deps, rows, "Nothing was imported yet.");
  });
}

async function readSource(name: string): Promise<SourceName> {
  const { SOURCE_NAMES } = await import("../imports/sources.ts");
  const found = SOURCE_NAMES.find((source) => source === name);
  if (found === undefined) throw new CliError(`--from takes ${SOURCE_NAMES.join(", ")}, not ${name}`);
  return found;
}

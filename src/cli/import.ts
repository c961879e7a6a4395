import { basename, resolve } from "node:path";
import type { Command } from "commander";
import type { Mapping } from "../imports/from/generic.ts";
import type { Preview } from "../imports/preview.ts";
import type { SourceName } from "../imports/sources.ts";
import { getProjectId, getWorkspace, WORKSPACE_OPTION, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { isoOrNull, printOne, printRows, type Row, wantsJson } from "./output.ts";
import { createProgressBar } from "./progress.ts";

const LISTED = 100;
/** Of a preview: enough to see every kind of row, in a second. */
const PREVIEW = { rows: 10_000, shown: 3, reasons: 20 } as const;

const HELP = `
Files are CSV, JSON lines, JSON arrays or Parquet; plain, gzip, zstd, brotli (.br) or zip. The service has to run.
A second start of the same command goes on where the first was cut, and imports no event twice.
  sextant import events umami.csv.gz --from umami --dry-run
  sextant import events 2024.ndjson 2025.ndjson --project prj_...
  sextant import events orders.csv --map timestamp=paid_at --map user_id=customer --set event=Order
docs/import.md tells what each product exports and what becomes of it.`;

interface Options {
  workspace?: string;
  project?: string;
  from: string;
  map: string[];
  set: string[];
  refused?: string;
  dryRun?: true;
}

export function addImportCommands(program: Command, deps: CliDeps): void {
  const imports = program.command("import").description("bring the history of another product along");
  const collect = (value: string, before: string[]) => [...before, value];
  imports
    .command("events <file...>")
    .description("import events from files; rows that are no events are listed in <file>.refused.ndjson")
    .option(...WORKSPACE_OPTION)
    .option("--project <id>", "the project; optional if there is only one")
    .option("--from <product>", "generic, umami, posthog, ga4, matomo, mixpanel, amplitude or segment", "generic")
    .option("--map <field=column>", "generic: the column that holds a field; can be repeated", collect, [])
    .option("--set <field=value>", "generic: one value of a field for every row; can be repeated", collect, [])
    .option("--refused <file>", "where refused rows are listed, for a single file")
    .option("--dry-run", "show the first rows as they would be stored and what would be refused; send nothing")
    .addHelpText("after", HELP)
    .action((files: string[], options: Options, command: Command) => runEvents(deps, files, options, command));
  imports
    .command("list")
    .description("show imported files, newest first")
    .option(...WORKSPACE_OPTION)
    .action((options: { workspace?: string }, command: Command) => list(deps, options, command));
}

async function runEvents(deps: CliDeps, files: string[], options: Options, command: Command): Promise<void> {
  const { ImportError } = await import("../imports/import-error.ts");
  const source = await readSource(options.from);
  const mapping = await readMapping(source, options);
  if (options.refused !== undefined && files.length > 1) throw new CliError("--refused is for a single file");
  try {
    if (options.dryRun) for (const file of files) await preview(deps, file, { source, mapping }, command);
    else await importAll(deps, files, { ...options, source, mapping }, command);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (cause instanceof ImportError || ["ENOENT", "EACCES", "EISDIR"].includes(code ?? ""))
      throw new CliError(message);
    throw cause;
  }
}

async function importAll(
  deps: CliDeps,
  files: readonly string[],
  options: Options & { source: SourceName; mapping: Mapping },
  command: Command,
): Promise<void> {
  const [{ importFile }, { createHttpDoor }, { createImportKeys }] = await Promise.all([
    import("../imports/import-file.ts"),
    import("../imports/http-door.ts"),
    import("../imports/import-key.ts"),
  ]);
  if (deps.eventsUrl() === undefined) throw new CliError("the service does not run: start it with `npm start` first");
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    const keys = createImportKeys(store, workspace.id, { secret, projectId, clock: deps.clock });
    const door = createHttpDoor({ eventsUrl: deps.eventsUrl, createKey: keys.create });
    const bar = createProgressBar(deps);
    try {
      for (const file of files) {
        const path = resolve(file);
        const refusedPath = resolve(options.refused ?? `${path}.refused.ndjson`);
        const { rows, events, refused } = await importFile(
          workspace.id,
          { projectId, path, source: options.source, mapping: options.mapping, refusedPath },
          {
            ...{ store, clock: deps.clock, door, signal: new AbortController().signal },
            onStart: ({ rows: done }) => {
              if (done > 0) deps.err(`${basename(path)}: goes on after row ${done}\n`);
            },
            onProgress: ({ bytes, totalBytes }) =>
              bar.show({ what: `MB of ${basename(path)}`, done: megabytes(bytes), total: megabytes(totalBytes) }),
          },
        ).finally(bar.end);
        const where = refused === 0 ? "" : ` Refused ${count(refused, "row")}: ${refusedPath} lists them.`;
        const message = `Imported ${count(events, "event")} from ${count(rows, "row")} of ${basename(path)}.${where}`;
        const shown = { file: path, rows, events, refused, refusedFile: refused === 0 ? null : refusedPath };
        printOne(command, deps, shown, message);
      }
    } finally {
      await keys.end();
    }
  });
}

async function preview(
  deps: CliDeps,
  file: string,
  { source, mapping }: { source: SourceName; mapping: Mapping },
  command: Command,
): Promise<void> {
  const { previewFile } = await import("../imports/preview.ts");
  const found = await previewFile(resolve(file), { source, mapping, nowMs: deps.clock.nowMs(), ...PREVIEW });
  printOne(command, deps, { file: resolve(file), ...found }, describe(basename(file), found));
  if (wantsJson(command) || found.refused.length === 0) return;
  const rows: Row[] = found.refused
    .slice(0, PREVIEW.reasons)
    .map(({ reason, rows: n, at }) => ({ rows: n, first: at, reason }));
  printRows(command, deps, rows, "");
}

function describe(name: string, { rows, isWhole, events, first, refused, earliest, latest }: Preview): string {
  const bad = refused.reduce((sum, { rows: n }) => sum + n, 0);
  const span = earliest === undefined ? "" : `, from ${earliest} to ${latest}`;
  return [
    `${name}: ${isWhole ? "" : "the first "}${count(rows, "row")}, ${count(events, "event")}${span}. Nothing was sent.`,
    ...first.map((event) => JSON.stringify(event, null, 2)),
    bad === 0 ? "No row would be refused." : `${count(bad, "row")} would be refused:`,
  ].join("\n");
}

async function list(deps: CliDeps, options: { workspace?: string }, command: Command): Promise<void> {
  const { listImports } = await import("../imports/imports-table.ts");
  await withStore(deps, async (store) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const rows = (await listImports(store.read, workspace.id, LISTED)).map(({ cursor, ...made }) => ({
      ...{ id: made.id, projectId: made.projectId, source: made.source, file: made.fileName, state: made.state },
      ...{ rows: cursor.rows, events: cursor.events, refused: cursor.refused },
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

async function readMapping(source: SourceName, { map, set }: Options): Promise<Mapping> {
  const { isMappingTarget, MAPPING_TARGETS } = await import("../imports/from/generic.ts");
  if (source !== "generic" && map.length + set.length > 0)
    throw new CliError(`--map and --set are for --from generic: the fields of ${source} are known`);
  const read = (option: string, pairs: readonly string[]) =>
    new Map(
      pairs.map((pair) => {
        const at = pair.indexOf("=");
        const target = pair.slice(0, Math.max(0, at));
        if (at === -1 || !isMappingTarget(target))
          throw new CliError(
            `${option} ${pair}: a field is ${MAPPING_TARGETS.join(", ")} or properties.<name>, before a "="`,
          );
        return [target, pair.slice(at + 1)] as const;
      }),
    );
  return { columns: read("--map", map), values: read("--set", set) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

function count(n: number, what: string): string {
  return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
}

/** Imports or previews files of rows: events, or wallets. */
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import type { ControlStore } from "../control/store.ts";
import type { Door } from "../imports/door.ts";
import type { Mapping } from "../imports/from/generic.ts";
import type { Preview } from "../imports/preview.ts";
import type { Reading } from "../imports/reading.ts";
import { getProjectId, getWorkspace, withStore } from "./context.ts";
import { type CliDeps, CliError } from "./deps.ts";
import { printOne, printRows, type Row, wantsJson } from "./output.ts";
import { createProgressBar } from "./progress.ts";

/** Of a preview: enough to see every kind of row, in a second. */
const PREVIEW = { rows: 10_000, shown: 3, reasons: 20 } as const;

export interface FileOptions {
  workspace?: string;
  project?: string;
  map: string[];
  set: string[];
  refused?: string;
  dryRun?: true;
}

/** What the rows are, and where they go. */
export interface FilesKind {
  readonly reading: Reading;
  /** `event`. */
  readonly item: string;
  openDoor(at: OpenDoor): Promise<{ door: Door; close(): Promise<void> }>;
}

export interface OpenDoor {
  readonly store: ControlStore;
  readonly secret: Buffer;
  readonly workspaceId: string;
  readonly projectId: string;
}

export async function importFiles(
  deps: CliDeps,
  files: readonly string[],
  { options, kind }: { options: FileOptions; kind: FilesKind },
  command: Command,
): Promise<void> {
  if (options.refused !== undefined && files.length > 1) throw new CliError("--refused is for a single file");
  await sayPlainly(async () => {
    if (options.dryRun) for (const file of files) await preview(deps, file, kind, command);
    else await importAll(deps, files, { options, kind }, command);
  });
}

/** A mistake in a file or with it is one line. */
export async function sayPlainly(work: () => Promise<void>): Promise<void> {
  const { ImportError } = await import("../imports/import-error.ts");
  try {
    await work();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (cause instanceof ImportError || ["ENOENT", "EACCES", "EISDIR", "ENOTDIR"].includes(code ?? ""))
      throw new CliError(message);
    throw cause;
  }
}

async function importAll(
  deps: CliDeps,
  files: readonly string[],
  { options, kind }: { options: FileOptions; kind: FilesKind },
  command: Command,
): Promise<void> {
  const { importFile } = await import("../imports/import-file.ts");
  await withStore(deps, async (store, secret) => {
    const workspace = await getWorkspace(store.read, options.workspace);
    const projectId = await getProjectId(store.read, workspace.id, options.project);
    const { door, close } = await kind.openDoor({ store, secret, workspaceId: workspace.id, projectId });
    const bar = createProgressBar(deps);
    try {
      for (const file of files) {
        const path = resolve(file);
        const refusedPath = resolve(options.refused ?? `${path}.refused.ndjson`);
        const { rows, events, refused } = await importFile(
          workspace.id,
          { projectId, path, reading: kind.reading, refusedPath },
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
        const message = `Imported ${count(events, kind.item)} from ${count(rows, "row")} of ${basename(path)}.${where}`;
        const shown = { file: path, rows, [`${kind.item}s`]: events, refused };
        printOne(command, deps, { ...shown, refusedFile: refused === 0 ? null : refusedPath }, message);
      }
    } finally {
      await close();
    }
  });
}

async function preview(deps: CliDeps, file: string, { reading, item }: FilesKind, command: Command): Promise<void> {
  const { previewFile } = await import("../imports/preview.ts");
  const found = await previewFile(resolve(file), { reading, nowMs: deps.clock.nowMs(), ...PREVIEW });
  const { events, ...rest } = found;
  const shown = { file: resolve(file), [`${item}s`]: events, ...rest };
  printOne(command, deps, shown, describe(basename(file), item, found));
  if (wantsJson(command) || found.refused.length === 0) return;
  const rows: Row[] = found.refused
    .slice(0, PREVIEW.reasons)
    .map(({ reason, rows: n, at }) => ({ rows: n, first: at, reason }));
  printRows(command, deps, rows, "");
}

function describe(name: string, item: string, found: Preview): string {
  const { rows, isWhole, events, first, refused, earliest, latest, unread } = found;
  const bad = refused.reduce((sum, { rows: n }) => sum + n, 0);
  const span = earliest === undefined ? "" : `, from ${earliest} to ${latest}`;
  return [
    `${name}: ${isWhole ? "" : "the first "}${count(rows, "row")}, ${count(events, item)}${span}. Nothing was sent.`,
    ...first.map((one) => JSON.stringify(one, null, 2)),
    ...(unread.length === 0 ? [] : [`Not read: ${unread.join(", ")}.`]),
    bad === 0 ? "No row would be refused." : `${count(bad, "row")} would be refused:`,
  ].join("\n");
}

/** `isTarget` and `targets` say what a field may be. */
export function readMapping(
  { map, set }: Pick<FileOptions, "map" | "set">,
  isTarget: (target: string) => boolean,
  targets: string,
): Mapping {
  const read = (option: string, pairs: readonly string[]) =>
    new Map(
      pairs.map((pair) => {
        const at = pair.indexOf("=");
        const target = pair.slice(0, Math.max(0, at));
        if (at === -1 || !isTarget(target))
          throw new CliError(`${option} ${pair}: a field is ${targets}, before a "="`);
        return [target, pair.slice(at + 1)] as const;
      }),
    );
  return { columns: read("--map", map), values: read("--set", set) };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

export function count(n: number, what: string): string {
  return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
}

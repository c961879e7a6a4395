/**
 * A backup of everything that is not derived, taken while the service runs, in this order:
 *
 * 1. How far long work has come (tasks.ts of the control store). Its steps are harmless when they are done twice: a
 *    restored task goes on where it was before the events were saved, not after.
 * 2. The segments of the event log.
 * 3. The log's cursor (the position up to which the engine has stored the log) and the ledger of the last hour.
 * 4. The rest of the ledger, parked events, events.
 * 5. What was appended to the event log since its segments were copied.
 * 6. The control store.
 *
 * No event that was acknowledged before the start is missing. An event before the cursor was stored before the events
 * are read. An event after it is in a copied segment, because only segments before the cursor are released. A restore
 * sets the cursor together with the log, and the writer continues there. An event that is stored after the cursor is
 * read, but before its table is, is in both the log and the rows. It counts once, by its dedupe key or, if parked, by
 * its id. A parked event that is replayed during the backup is in one or both of the tables, never in neither. A
 * project, a key or a form is created before anything refers to it.
 *
 * The ledger counts every event before the cursor, and the writer adds those after it: received = stored + duplicate +
 * parked + refused, each once. Therefore nothing may be stored between reading the cursor and the ledger: both are read
 * again until the cursor stays the same. If ClickHouse takes longer for that than for a batch, or if the log was more
 * than an hour behind, some of the last events may count twice, the second time as duplicates. Events that are in both
 * the log and the rows are duplicates in the ledger of the restored copy. An event that came, was stored and left the log
 * while the rows were read is in the rows alone, and the ledger has not heard of it.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findControlVersion } from "../control/migrate.ts";
import { CONTROL_TABLES, type ControlTable } from "../control/project-tables.ts";
import type { ControlStore } from "../control/store.ts";
import type { LogPosition } from "../engines/batch.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { ExportedRow } from "../engines/source-tables.ts";
import { nodeFiles } from "../lib/files.ts";
import { makeDirs } from "../lib/make-dirs.ts";
import { readLedgerRows } from "../warehouse/export.ts";
import { type ControlRow, readTable } from "./control-tables.ts";
import { copyAppended, copyLog, hasLog, type LogPlaces } from "./copy-log.ts";
import { BackupError, type EngineName, type FileEntry, FORMAT, type Manifest, manifestPath } from "./manifest.ts";
import { createPackedFile, linesOf } from "./packed-file.ts";
import { makeWarehouseDir, type Progress, saveWarehouse } from "./warehouse-files.ts";

export interface BackupSources {
  /** `cursor`: the file for an engine that cannot store its cursor with the events. */
  places: LogPlaces & { cursor: string };
  store: ControlStore;
  engine: Pick<AnalyticsEngine, "select" | "openBatchStore"> & { schema: Pick<AnalyticsEngine["schema"], "version"> };
  engineName: EngineName;
  /** A file, or why the backup contains none. */
  secret: { file: string } | "left out" | "setting";
}

export async function takeBackup(
  sources: BackupSources,
  target: { dir: string; version: string; nowMs: number; onProgress(progress: Progress): void },
): Promise<Manifest> {
  const { dir, onProgress } = target;
  const schema = await sources.engine.schema.version();
  await makeEmptyDir(dir);
  const progress = await readTaskProgress(sources.store);
  const copied = await copyLog(sources.places, dir, onProgress);
  await makeWarehouseDir(dir);
  const { cursor, ...ledger } = await readCursorAndLedger(sources, target.nowMs, schema > 0);
  const rows = schema > 0 ? await saveWarehouse(sources.engine, dir, ledger, onProgress) : [];
  const files = [...(await copyAppended(sources.places, dir, copied)), ...rows];
  const control = await saveControl(sources.store, dir, progress, onProgress);
  files.push(...control.files);
  if (typeof sources.secret === "object") files.push(await saveSecret(sources.secret.file, dir));
  const manifest: Manifest = {
    format: FORMAT,
    sextant: target.version,
    createdAt: new Date(target.nowMs).toISOString(),
    control: { store: sources.store.name, schema: control.schema, rows: countRows(control.files) },
    warehouse: {
      engine: sources.engineName,
      schema,
      rows: countRows(files.filter(({ part }) => part === "warehouse")),
    },
    ...(cursor === undefined ? {} : { cursor }),
    secret: typeof sources.secret === "object" ? "included" : sources.secret,
    files,
  };
  // The manifest marks the backup as complete: the names of all files must be on disk before its own.
  for (const folder of new Set(files.map(({ path }) => dirname(join(dir, path))))) await nodeFiles.fsyncDir(folder);
  await writeFile(manifestPath(dir), `${JSON.stringify(manifest, null, 2)}\n`, {
    flag: "wx",
    mode: 0o600,
    flush: true,
  });
  await nodeFiles.fsyncDir(dir);
  return manifest;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Allows for clients, and for a clock of this machine, that are ahead. */
const FUTURE_MS = 24 * HOUR_MS;
/** Under load a batch is stored every half second; reading the cursor and the ledger takes a hundredth of that. */
const TRY_MS = 3_000;

interface AtCursor {
  cursor: LogPosition | undefined;
  recent: readonly ExportedRow[];
  recentMs: number;
}

/** The cursor, and the ledger of the last hour exactly up to it. */
async function readCursorAndLedger(sources: BackupSources, nowMs: number, hasTables: boolean): Promise<AtCursor> {
  const recentMs = Math.floor((nowMs - HOUR_MS) / MINUTE_MS) * MINUTE_MS;
  const read = async () => (hasTables ? readLedgerRows(sources.engine, recentMs, nowMs + FUTURE_MS) : []);
  if (!hasTables || !hasLog(sources.places)) return { cursor: undefined, recent: await read(), recentMs };
  const nodeId = (await readFile(sources.places.nodeId, "utf8")).trim();
  const until = performance.now() + TRY_MS;
  for (;;) {
    const cursor = await readCursor(sources, nodeId);
    const recent = await read();
    const after = await readCursor(sources, nodeId);
    const isStill = after.segment === cursor.segment && after.offset === cursor.offset;
    if (isStill || performance.now() > until) return { cursor, recent, recentMs };
  }
}

async function readCursor({ engine, places }: BackupSources, nodeId: string): Promise<LogPosition> {
  const store = await engine.openBatchStore({ nodeId, cursorFile: places.cursor });
  try {
    return (await store.position()).done;
  } finally {
    await store.close();
  }
}

/** A backup needs an empty directory. */
export async function makeEmptyDir(dir: string): Promise<void> {
  makeDirs(dir);
  if ((await readdir(dir)).length > 0) throw new BackupError(`${dir} is not empty: a backup needs an empty directory`);
}

type TaskProgress = ReadonlyMap<unknown, ControlRow>;

async function readTaskProgress(store: ControlStore): Promise<TaskProgress> {
  const there = await store.read.introspection.getTables();
  const found = new Map<unknown, ControlRow>();
  if (!there.some(({ name }) => name === "tasks")) return found;
  for await (const page of readTable(store.read, "tasks")) for (const row of page) found.set(row.id, row);
  return found;
}

/** A task with the progress that it had when the backup began: none, if it was created since. Nobody does it. */
function asBefore(row: ControlRow, progress: TaskProgress): ControlRow {
  const nobody = { lease_owner: null, lease_until: null };
  if (row.state === "cancelled") return { ...row, ...nobody };
  const begin: ControlRow = { state: "waiting", done: 0, cursor: null, message: null, ended_at: null };
  const { state = null, done = 0, cursor = null, message = null, ended_at = null } = progress.get(row.id) ?? begin;
  return { ...row, ...nobody, state: state === "running" ? "waiting" : state, done, cursor, message, ended_at };
}

/** All tables of the store's schema, in one snapshot. */
async function saveControl(
  store: ControlStore,
  dir: string,
  progress: TaskProgress,
  onProgress: (progress: Progress) => void,
): Promise<{ schema: number; files: FileEntry[] }> {
  await mkdir(join(dir, "control"));
  return store.snapshot(async (tx) => {
    const schema = await findControlVersion(tx);
    const there = new Set((await tx.introspection.getTables()).map(({ name }) => name));
    const tables = (Object.keys(CONTROL_TABLES) as ControlTable[]).filter((table) => there.has(table));
    const files: FileEntry[] = [];
    for (const table of tables) {
      const path = `control/${table}.jsonl.zst`;
      const file = createPackedFile(join(dir, path));
      let rows = 0;
      for await (const page of readTable(tx, table)) {
        await file.write(linesOf(table === "tasks" ? page.map((row) => asBefore(row, progress)) : page));
        rows += page.length;
      }
      files.push({ path, part: "control", table, rows, ...(await file.end()) });
      onProgress({ what: "control tables", done: files.length, total: tables.length });
    }
    return { schema, files };
  });
}

async function saveSecret(file: string, dir: string): Promise<FileEntry> {
  const secret = await readFile(file);
  await writeFile(join(dir, "secret"), secret, { flag: "wx", mode: 0o600, flush: true });
  const sha256 = createHash("sha256").update(secret).digest("hex");
  return { path: "secret", part: "secret", bytes: secret.length, sha256 };
}

function countRows(files: readonly FileEntry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { table = "", rows = 0 } of files) counts[table] = (counts[table] ?? 0) + rows;
  return counts;
}

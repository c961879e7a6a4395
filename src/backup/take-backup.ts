/**
 * A backup of everything that is not derived, taken while the service runs, in this order:
 *
 * 1. The segments of the event log.
 * 2. The log's cursor, which is where the engine has the log stored up to, with the ledger of the last hour.
 * 3. The rest of the ledger, parked events, events.
 * 4. The control store.
 *
 * Nothing that was acknowledged before the start is missing: an event lies below the cursor, and was stored before the events were read, or it lies
 * beyond, and then its segment was copied: only what is below the cursor is ever released. A restore puts the cursor back with the log,
 * and the writer goes on from there. What was stored between the cursor and the reading of its table is in both, and counts once: an event by its
 * message, a parked one by its id. A parked event that is replayed meanwhile is in both of the tables or moves into the second, never in neither. A project, a
 * key or a form is made before anything refers to it.
 *
 * The ledger says of every event below the cursor what became of it, and the writer adds those beyond: received = stored + duplicate + parked + refused, each
 * once. For that, nothing may be stored between reading the cursor and the ledger: they are read again until the cursor has not moved. A ClickHouse that
 * takes longer for that than a batch, or a log that waited for over an hour, may make some of the last events count twice, the second time as
 * duplicates. And events that are in both, as said above, are found by the writer to be there: the ledger of the restored copy calls them duplicates.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findControlVersion } from "../control/migrate.ts";
import type { ControlStore } from "../control/store.ts";
import type { AnalyticsEngine, ExportedRow, LogPosition } from "../engines/port.ts";
import { nodeFiles } from "../lib/files.ts";
import { readLedgerRows } from "../warehouse/export.ts";
import { CONTROL_TABLES, type ControlTable, readTable } from "./control-tables.ts";
import { copyLog, hasLog, type LogPlaces } from "./copy-log.ts";
import { BackupError, type EngineName, type FileEntry, FORMAT, type Manifest, manifestPath } from "./manifest.ts";
import { createPackedFile, linesOf } from "./packed-file.ts";
import { makeWarehouseDir, type Progress, saveWarehouse } from "./warehouse-files.ts";

export interface BackupSources {
  /** `cursor`: the file of an engine that cannot keep it beside the events. */
  places: LogPlaces & { cursor: string };
  store: ControlStore;
  engine: Pick<AnalyticsEngine, "select" | "openBatchStore"> & { schema: Pick<AnalyticsEngine["schema"], "version"> };
  engineName: EngineName;
  /** A file, or why there is none in the backup. */
  secret: { file: string } | "left out" | "setting";
}

export async function takeBackup(
  sources: BackupSources,
  target: { dir: string; version: string; nowMs: number; onProgress(progress: Progress): void },
): Promise<Manifest> {
  const { dir, onProgress } = target;
  const schema = await sources.engine.schema.version();
  await makeEmptyDir(dir);
  const files = await copyLog(sources.places, dir, onProgress);
  await makeWarehouseDir(dir);
  const { cursor, ...ledger } = await readCursorAndLedger(sources, target.nowMs, schema > 0);
  if (schema > 0) files.push(...(await saveWarehouse(sources.engine, dir, ledger, onProgress)));
  const control = await saveControl(sources.store, dir, onProgress);
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
  // The manifest says that the backup is whole: the names of its files are on disk first, then its own.
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
/** Of the clock of whoever takes the backup, and of clients that are ahead of it. */
const FUTURE_MS = 24 * HOUR_MS;
/** A batch is stored every half second under load, and this takes a hundredth of that. */
const TRY_MS = 3_000;

interface AtCursor {
  cursor: LogPosition | undefined;
  recent: readonly ExportedRow[];
  recentMs: number;
}

/** The ledger of the last hour as it is where the cursor stands. */
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

/** A backup goes into nothing else. */
export async function makeEmptyDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0)
    throw new BackupError(`${dir} is not empty: a backup goes into a directory of its own`);
}

/** All tables that the store's schema has, as they were at one moment. */
async function saveControl(
  store: ControlStore,
  dir: string,
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
        await file.write(linesOf(page));
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

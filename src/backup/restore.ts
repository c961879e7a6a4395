/**
 * Restores a backup into an empty installation. Rows of the control store go into the schema they were saved from, and
 * later migrations then run over them: a backup is upgraded exactly as a data directory is. Rows of the warehouse have
 * one format for every engine and are imported like events. Derived tables are not in a backup: the worker materializes
 * them after the start.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isSecretOf } from "../control/check-secret.ts";
import { migrateControl } from "../control/migrate.ts";
import { CONTROL_TABLES, type ControlTable } from "../control/project-tables.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import type { AnalyticsEngine } from "../engines/port.ts";
import type { Clock } from "../lib/clock.ts";
import { type ControlRow, insertRows } from "./control-tables.ts";
import { BackupError, type FileEntry, type Manifest } from "./manifest.ts";
import { unpackLines, verifyFile } from "./packed-file.ts";
import { loadWarehouse, type Progress } from "./warehouse-files.ts";

export interface Backup {
  dir: string;
  manifest: Manifest;
}

type Report = (progress: Progress) => void;

/** Verifies every file before anything is written. */
export async function verifyBackup({ dir, manifest }: Backup, onProgress: Report): Promise<void> {
  let done = 0;
  for (const file of manifest.files) {
    await verifyFile(dir, file);
    done += 1;
    onProgress({ what: "files checked", done, total: manifest.files.length });
  }
}

/** The candidate that the backup's keys were created with. */
export async function findSecret(backup: Backup, candidates: readonly Buffer[]): Promise<Buffer | undefined> {
  for await (const row of readRows(backup, "installation"))
    return candidates.find((secret) => isSecretOf(String(row.secret_check), secret));
  throw new BackupError("the backup is damaged: it does not identify the secret of its keys");
}

/** One transaction: a control store is restored as a whole or stays empty. Returns the number of rows per table. */
export async function restoreControl(
  backup: Backup,
  store: ControlStore,
  clock: Clock,
  onProgress: Report,
): Promise<Record<string, number>> {
  await migrateControl(store, clock, backup.manifest.control.schema);
  const tables = Object.keys(CONTROL_TABLES) as ControlTable[];
  const counts = await store.write(async (tx) => {
    const restored: Record<string, number> = {};
    for (const [index, table] of tables.entries()) {
      restored[table] = await restoreTable(tx, backup, table);
      onProgress({ what: "control tables", done: index + 1, total: tables.length });
    }
    return restored;
  });
  await migrateControl(store, clock);
  return counts;
}

async function restoreTable(tx: Tx, backup: Backup, table: ControlTable): Promise<number> {
  let count = 0;
  let page: ControlRow[] = [];
  for await (const row of readRows(backup, table)) {
    count += 1;
    page.push(row);
    if (page.length < 500) continue;
    await insertRows(tx, table, page);
    page = [];
  }
  await insertRows(tx, table, page);
  const files = filesOf(backup.manifest, "control").filter((file) => file.table === table);
  const expected = files.reduce((sum, { rows = 0 }) => sum + rows, 0);
  if (count !== expected)
    throw new BackupError(`the backup is damaged: it contains ${count} of ${expected} rows of ${table}`);
  return count;
}

async function* readRows({ dir, manifest }: Backup, table: ControlTable): AsyncGenerator<ControlRow, void, void> {
  for (const file of filesOf(manifest, "control"))
    if (file.table === table)
      for await (const line of unpackLines(join(dir, file.path))) yield JSON.parse(line) as ControlRow;
}

/** Returns the number of rows per table. */
export async function restoreWarehouse(
  { manifest, dir }: Backup,
  engine: Pick<AnalyticsEngine, "importRows"> & { schema: Pick<AnalyticsEngine["schema"], "migrate"> },
  onProgress: Report,
): Promise<Record<string, number>> {
  await engine.schema.migrate();
  return loadWarehouse(engine, dir, filesOf(manifest, "warehouse"), onProgress);
}

/** Sets the engine's cursor in the restored log. */
export async function restoreCursor(
  { manifest }: Backup,
  engine: Pick<AnalyticsEngine, "openBatchStore">,
  places: { nodeId: string; cursor: string },
): Promise<void> {
  if (manifest.cursor === undefined) return;
  const nodeId = (await readFile(places.nodeId, "utf8")).trim();
  const store = await engine.openBatchStore({ nodeId, cursorFile: places.cursor });
  try {
    await store.moveTo(manifest.cursor);
  } finally {
    await store.close();
  }
}

/** Like refuseUsedStore. The database itself may be absent. */
export async function refuseUsedWarehouse(engine: {
  schema: Pick<AnalyticsEngine["schema"], "version">;
}): Promise<void> {
  if ((await engine.schema.version()) > 0)
    throw new BackupError("the database in ClickHouse is already in use: a restore needs one without Sextant's tables");
}

export function filesOf(manifest: Manifest, part: FileEntry["part"]): FileEntry[] {
  return manifest.files.filter((file) => file.part === part);
}

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AnalyticsEngine } from "../engines/port.ts";
import { type ExportedRow, SOURCE_TABLES, type SourceTable } from "../engines/source-tables.ts";
import { exportTable } from "../warehouse/export.ts";
import { BackupError, type FileEntry } from "./manifest.ts";
import { createPackedFile, linesOf, type PackedFile, unpackLines } from "./packed-file.ts";

const DIR = "warehouse";
/** The size of a file before compression. */
const FILE_BYTES = 64 * 1024 * 1024;
/** The largest import in one call. */
const IMPORT_ROWS = 10_000;
const IMPORT_CHARS = 16 * 1024 * 1024;

export interface Progress {
  what: string;
  done: number;
  total: number;
}

/**
 * Saves the rows of every source table. `recent` are the rows of the ledger since `recentMs`, which were already read.
 */
export async function saveWarehouse(
  engine: Pick<AnalyticsEngine, "select">,
  backupDir: string,
  { recent, recentMs }: { recent: readonly ExportedRow[]; recentMs: number },
  onProgress: (progress: Progress) => void,
): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for (const table of SOURCE_TABLES) {
    const writer = createTableWriter(backupDir, table);
    for await (const { rows, done, total } of exportTable(engine, table, recentMs)) {
      await writer.add(rows);
      onProgress({ what: `rows of ${table}`, done, total });
    }
    if (table === "ledger") await writer.add(recent);
    entries.push(...(await writer.end()));
  }
  return entries;
}

export async function makeWarehouseDir(backupDir: string): Promise<void> {
  await mkdir(join(backupDir, DIR));
}

/** Collects the rows of many reads in a few files, one line each. */
function createTableWriter(backupDir: string, table: SourceTable) {
  const entries: FileEntry[] = [];
  let file: PackedFile | undefined;
  let bytes = 0;
  let rows = 0;
  const pathOf = (number: number) => `${DIR}/${table}-${String(number).padStart(6, "0")}.jsonl.zst`;

  async function finish(): Promise<void> {
    if (file === undefined) return;
    const path = pathOf(entries.length);
    entries.push({ path, part: "warehouse", table, rows, ...(await file.end()) });
    file = undefined;
    bytes = 0;
    rows = 0;
  }

  return {
    async add(some: readonly ExportedRow[]): Promise<void> {
      if (some.length === 0) return;
      file ??= createPackedFile(join(backupDir, pathOf(entries.length)));
      const lines = linesOf(some);
      await file.write(lines);
      bytes += lines.length;
      rows += some.length;
      if (bytes >= FILE_BYTES) await finish();
    },
    async end(): Promise<FileEntry[]> {
      await finish();
      return entries;
    },
  };
}

/** Imports the rows into empty tables. Returns the number of rows per table. */
export async function loadWarehouse(
  engine: Pick<AnalyticsEngine, "importRows">,
  backupDir: string,
  files: readonly FileEntry[],
  onProgress: (progress: Progress) => void,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const total = files.reduce((sum, { rows = 0 }) => sum + rows, 0);
  let done = 0;
  for (const { path, table, rows = 0 } of files) {
    const known = SOURCE_TABLES.find((name) => name === table);
    if (known === undefined)
      throw new BackupError(`the backup is damaged: ${path} belongs to a table that this Sextant does not have`);
    let taken = 0;
    for await (const some of readRows(join(backupDir, path))) {
      taken += await engine.importRows(known, some);
      onProgress({ what: "rows", done: done + taken, total });
    }
    if (taken !== rows) throw new BackupError(`the engine accepted ${taken} of the ${rows} rows in ${path}`);
    counts[known] = (counts[known] ?? 0) + taken;
    done += rows;
  }
  return counts;
}

async function* readRows(path: string): AsyncGenerator<ExportedRow[], void, void> {
  let rows: ExportedRow[] = [];
  let chars = 0;
  for await (const line of unpackLines(path)) {
    rows.push(JSON.parse(line) as ExportedRow);
    chars += line.length;
    if (rows.length < IMPORT_ROWS && chars < IMPORT_CHARS) continue;
    yield rows;
    rows = [];
    chars = 0;
  }
  if (rows.length > 0) yield rows;
}

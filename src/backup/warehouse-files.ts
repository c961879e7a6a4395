import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AnalyticsEngine } from "../engines/analytics.ts";
import { findTrueTables, importRows, planExport, readPiece } from "../warehouse/export.ts";
import { BackupError, type FileEntry } from "./manifest.ts";
import { createPackedFile, type PackedFile, unpack } from "./packed-file.ts";

const DIR = "warehouse";
/** Before it is packed: an insert of more than 256 MiB is refused by the embedded engine. */
const FILE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface Progress {
  what: string;
  done: number;
  total: number;
}

/** Writes the rows of every true table into files; `onProgress` counts rows. */
export async function saveWarehouse(
  engine: Pick<AnalyticsEngine, "select" | "selectRaw" | "selectJson">,
  database: string,
  backupDir: string,
  onProgress: (progress: Progress) => void,
): Promise<FileEntry[]> {
  await mkdir(join(backupDir, DIR));
  const entries: FileEntry[] = [];
  for (const table of await findTrueTables(engine, database)) {
    const writer = createTableWriter(backupDir, table.name);
    // Planned in its turn: only so is every day of the events just read among the event_days.
    const pieces = await planExport(engine, table);
    const total = pieces.reduce((sum, { rows }) => sum + rows, 0);
    let done = 0;
    for (const piece of pieces) {
      await writer.add(await readPiece(engine, table, piece));
      done += piece.rows;
      onProgress({ what: `rows of ${table.name}`, done: Math.round(done), total: Math.round(total) });
    }
    entries.push(...(await writer.end()));
  }
  return entries;
}

/** Puts the rows of many answers into few files: each begins with the line of names and ends with a whole row. */
function createTableWriter(backupDir: string, table: string) {
  const entries: FileEntry[] = [];
  let file: PackedFile | undefined;
  let bytes = 0;
  let rows = 0;

  async function put(names: Buffer, lines: Buffer): Promise<void> {
    if (lines.length === 0) return;
    if (file === undefined) {
      file = createPackedFile(join(backupDir, pathOf(entries.length)));
      await file.write(names);
    }
    for (let at = lines.indexOf(NEWLINE); at >= 0; at = lines.indexOf(NEWLINE, at + 1)) rows += 1;
    bytes += lines.length;
    await file.write(lines);
  }

  async function finish(): Promise<void> {
    if (file === undefined) return;
    const path = pathOf(entries.length);
    entries.push({ path, part: "warehouse", table, rows, ...(await file.end()) });
    file = undefined;
    bytes = 0;
    rows = 0;
  }

  const pathOf = (number: number) => `${DIR}/${table}-${String(number).padStart(6, "0")}.tsv.zst`;

  return {
    async add(body: AsyncIterable<Buffer>): Promise<void> {
      let names: Buffer | undefined;
      let rest: Buffer = Buffer.alloc(0);
      for await (const chunk of body) {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        if (names === undefined) {
          const end = rest.indexOf(NEWLINE) + 1;
          if (end === 0) continue;
          names = rest.subarray(0, end);
          rest = rest.subarray(end);
        }
        const end = rest.lastIndexOf(NEWLINE) + 1;
        await put(names, rest.subarray(0, end));
        rest = rest.subarray(end);
        if (bytes >= FILE_BYTES) await finish();
      }
      if (rest.length > 0) throw new BackupError(`the engine's answer for ${table} ends in the middle of a row`);
    },
    async end(): Promise<FileEntry[]> {
      await finish();
      return entries;
    },
  };
}

/** Puts the rows back; the tables are there and empty. Resolves with how many went into each. */
export async function loadWarehouse(
  engine: Pick<AnalyticsEngine, "insert">,
  backupDir: string,
  files: readonly FileEntry[],
  onProgress: (progress: Progress) => void,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const total = files.reduce((sum, { rows = 0 }) => sum + rows, 0);
  let done = 0;
  for (const { path, table = "", rows = 0 } of files) {
    const taken = await importRows(engine, table, unpack(join(backupDir, path)));
    if (taken !== rows) throw new BackupError(`the engine took ${taken} of the ${rows} rows in ${path}`);
    counts[table] = (counts[table] ?? 0) + taken;
    done += rows;
    onProgress({ what: "rows", done, total });
  }
  return counts;
}

/**
 * Imports the days of another product. Reports read an import when its row says that it is done: a run that was killed
 * shows nothing, and the next one begins again. A second run of the same content changes nothing.
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { ControlStore } from "../../control/store.ts";
import type { AnalyticsEngine } from "../../engines/port.ts";
import type { Clock } from "../../lib/clock.ts";
import { claimImport } from "../claim-import.ts";
import { ImportError } from "../import-error.ts";
import { findImport, listDayImports, removeImport, setDays } from "../imports-table.ts";
import { readDays } from "./read-days.ts";

/** What an import of days needs of the warehouse. */
export interface DaysWarehouse {
  write: AnalyticsEngine["writeImportedDays"];
  /** Of one import. Resolves with the number of rows. */
  remove(projectId: string, importId: string): Promise<number>;
  /** The first day with events of the project itself. */
  firstDay(projectId: string): Promise<string | undefined>;
}

export interface DaysDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly warehouse: DaysWarehouse;
  readonly signal: AbortSignal;
}

const DAYS_SOURCE = "plausible";
const ROWS_AT_ONCE = 5_000;

export interface ImportedDays {
  readonly id: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly sums: number;
  /** Days that the project has events of its own on, or after. */
  readonly leftOut: number;
}

export async function importDays(
  workspaceId: string,
  { projectId, path }: { projectId: string; path: string },
  deps: DaysDeps,
): Promise<ImportedDays> {
  const { store, clock, warehouse, signal } = deps;
  const all = await readDays(path);
  const contentId = createHash("sha256")
    .update(JSON.stringify([DAYS_SOURCE, all]))
    .digest("base64url");
  const native = await warehouse.firstDay(projectId);
  const sums = all.filter(({ day }) => native === undefined || day < native);
  const [first, last] = [sums[0], sums.at(-1)];
  if (first === undefined || last === undefined)
    throw new ImportError(
      `all days of ${basename(path)} are from ${native} on, where the project has events of its own`,
    );
  const made = { projectId, source: DAYS_SOURCE, fileName: basename(path), fileBytes: 0, contentId };
  await refuseOverlap(store, workspaceId, { projectId, contentId, firstDay: first.day, lastDay: last.day });
  const claimed = await claimImport(workspaceId, made, { store, clock, signal });
  try {
    await setDays(store, claimed.id, undefined);
    await warehouse.remove(projectId, claimed.id);
    for (let from = 0; from < sums.length; from += ROWS_AT_ONCE) {
      claimed.signal.throwIfAborted();
      const rows = sums.slice(from, from + ROWS_AT_ONCE);
      await warehouse.write(rows.map((sum) => ({ project_id: projectId, import_id: claimed.id, ...sum })));
    }
    await setDays(store, claimed.id, { firstDay: first.day, lastDay: last.day });
    const cursor = { rows: sums.length, events: 0, refused: 0, refusedBytes: 0, hasKeyless: false };
    await claimed.save(cursor, true);
  } finally {
    await claimed.end();
  }
  const leftOut = new Set(all.map(({ day }) => day)).size - new Set(sums.map(({ day }) => day)).size;
  return { id: claimed.id, firstDay: first.day, lastDay: last.day, sums: sums.length, leftOut };
}

/** A day of two imports would count twice. */
async function refuseOverlap(
  store: ControlStore,
  workspaceId: string,
  made: { projectId: string; contentId: string; firstDay: string; lastDay: string },
): Promise<void> {
  const others = await listDayImports(store.read, workspaceId, made.projectId);
  const other = others.find(
    ({ contentId, firstDay, lastDay }) =>
      contentId !== made.contentId && firstDay <= made.lastDay && lastDay >= made.firstDay,
  );
  if (other !== undefined)
    throw new ImportError(
      `the import ${other.id} has days from ${other.firstDay} to ${other.lastDay}: delete it first with \`sextant import delete ${other.id}\``,
    );
}

/** Removes the days of an import, first from reports, then from the warehouse. Undefined: there is no such import of days. */
export async function deleteDays(
  workspaceId: string,
  importId: string,
  { store, warehouse }: Pick<DaysDeps, "store" | "warehouse">,
): Promise<number | undefined> {
  const found = await findImport(store.read, workspaceId, importId);
  if (found === undefined || found.source !== DAYS_SOURCE) return undefined;
  await setDays(store, importId, undefined);
  const removed = await warehouse.remove(found.projectId, importId);
  await store.write((tx) => removeImport(tx, workspaceId, importId));
  return removed;
}

/**
 * Imports the days of another product. Reports read an import when its row says that it is done: a run that was killed
 * shows nothing, and the next one begins again. A second run of the same content changes nothing. Until it has ended, no
 * other import gets one of its days (claim-days.ts).
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { ControlStore } from "../../control/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { claimImport } from "../claim-import.ts";
import { ImportError } from "../import-error.ts";
import { readDays } from "./read-days.ts";
import type { DaysWarehouse } from "./warehouse.ts";

export interface DaysDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly warehouse: DaysWarehouse;
  readonly signal: AbortSignal;
}

export const DAYS_SOURCE = "plausible";
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
  const days = { firstDay: first.day, lastDay: last.day };
  const made = { projectId, source: DAYS_SOURCE, fileName: basename(path), fileBytes: 0, contentId, days };
  const claimed = await claimImport(workspaceId, made, { store, clock, signal });
  try {
    await warehouse.remove(projectId, claimed.id, claimed.signal);
    for (let from = 0; from < sums.length; from += ROWS_AT_ONCE) {
      claimed.signal.throwIfAborted();
      const rows = sums.slice(from, from + ROWS_AT_ONCE);
      await warehouse.write(rows.map((sum) => ({ project_id: projectId, import_id: claimed.id, ...sum })));
    }
    const cursor = { rows: sums.length, events: 0, refused: 0, refusedBytes: 0, hasKeyless: false };
    await claimed.save(cursor, true);
  } finally {
    await claimed.end();
  }
  const leftOut = new Set(all.map(({ day }) => day)).size - new Set(sums.map(({ day }) => day)).size;
  return { id: claimed.id, ...days, sums: sums.length, leftOut };
}

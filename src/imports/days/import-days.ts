/**
 * Imports the days of another product. Reports read an import when its row says that it is done: a run that was killed
 * shows nothing, and the next one begins again. A second run of the same content changes nothing. Until it has ended, no
 * other import gets one of its days (claim-days.ts).
 */
import { basename } from "node:path";
import type { ControlStore, Tx } from "../../control/store.ts";
import { findProject } from "../../control/tenants.ts";
import type { Clock } from "../../lib/clock.ts";
import { claimImport } from "../claim-import.ts";
import { ImportError } from "../import-error.ts";
import type { DaysFile, OpenDays } from "./days-file.ts";
import { DAYS_SOURCE, type DaySum } from "./plausible.ts";
import type { DaysWarehouse } from "./warehouse.ts";

export interface DaysDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly warehouse: DaysWarehouse;
  readonly signal: AbortSignal;
  readonly open: OpenDays;
  /** In the transaction that begins it: where it rejects, all is as it was. */
  onClaim?(tx: Tx, importId: string): Promise<void>;
  /** Before reports read them. A rejection ends the import. */
  onWritten?(sums: number): Promise<void>;
}

export interface DaysImport {
  readonly projectId: string;
  readonly path: string;
  /** Of a file that was sent to the service. */
  readonly upload?: { readonly id: string; readonly fileName: string; readonly fileBytes: number };
}

const AT_ONCE = { rows: 5_000, chars: 2 * 1024 * 1024 } as const;

export interface ImportedDays {
  readonly id: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly sums: number;
  /** Days that the project has events of its own on, or after. */
  readonly leftOut: number;
}

export async function importDays(workspaceId: string, made: DaysImport, deps: DaysDeps): Promise<ImportedDays> {
  const file = await deps.open(made.path, deps.signal);
  try {
    return await importOpened(workspaceId, made, file, deps);
  } finally {
    await file.close();
  }
}

async function importOpened(
  workspaceId: string,
  { projectId, path, upload }: DaysImport,
  { contentId, days: all, sums }: DaysFile,
  deps: DaysDeps,
): Promise<ImportedDays> {
  const { store, clock, warehouse, signal } = deps;
  const project = await findProject(store.read, workspaceId, projectId);
  if (project === undefined) throw new ImportError("the project was deleted");
  const native = await warehouse.firstDay(projectId, project.timezone, signal);
  const isOwn = (day: string) => native !== undefined && day >= native;
  const left = all.filter((day) => !isOwn(day));
  const [firstDay, lastDay] = [left[0], left.at(-1)];
  const fileName = upload?.fileName ?? basename(path);
  if (firstDay === undefined || lastDay === undefined)
    throw new ImportError(`all days of ${fileName} are from ${native} on, where the project has events of its own`);
  const days = { firstDay, lastDay };
  const of = { projectId, source: DAYS_SOURCE, contentId, days };
  const given = { ...of, fileName, fileBytes: upload?.fileBytes ?? 0, uploadId: upload?.id };
  const claimed = await claimImport(workspaceId, given, { store, clock, signal, onClaim: deps.onClaim });
  let written = 0;
  try {
    await warehouse.remove(projectId, claimed.id, claimed.signal);
    for await (const rows of inBatches(sums)) {
      claimed.signal.throwIfAborted();
      const counted = rows.filter(({ day }) => !isOwn(day));
      if (counted.length === 0) continue;
      await warehouse.write(counted.map((sum) => ({ project_id: projectId, import_id: claimed.id, ...sum })));
      written += counted.length;
    }
    const cursor = { rows: written, events: 0, refused: 0, refusedBytes: 0, hasKeyless: false };
    await deps.onWritten?.(written);
    await claimed.save(cursor, true);
  } finally {
    await claimed.end();
  }
  return { id: claimed.id, ...days, sums: written, leftOut: all.length - left.length };
}

/** A statement of the warehouse costs more than its rows. */
async function* inBatches(sums: AsyncIterable<readonly DaySum[]>): AsyncGenerator<readonly DaySum[], void, void> {
  let batch: DaySum[] = [];
  let chars = 0;
  for await (const some of sums)
    for (const sum of some) {
      batch.push(sum);
      chars += sum.value.length + sum.detail.length;
      if (batch.length < AT_ONCE.rows && chars < AT_ONCE.chars) continue;
      yield batch;
      [batch, chars] = [[], 0];
    }
  if (batch.length > 0) yield batch;
}

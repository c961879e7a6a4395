import { sql } from "kysely";
import { IMPORT_LIMITS } from "../contract/import-limits.ts";
import type { Removals } from "../control/removals.ts";
import type { ControlStore } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import type { Job } from "../lib/job.ts";
import { DAY_MS, MINUTE_MS } from "../lib/time.ts";
import { DAYS_SOURCE } from "./days/plausible.ts";
import type { UploadFiles } from "./upload-files.ts";

export function importJobs({
  store,
  removals,
  uploadFiles,
}: {
  store: ControlStore;
  removals: Removals;
  uploadFiles: UploadFiles;
}): Job[] {
  return [
    {
      name: "purge_uploads",
      everyMs: MINUTE_MS,
      share: 0.5,
      run: () =>
        removals.run("uploads", async (nowMs) => {
          const removed = await purgeUploads(store, nowMs);
          await purgeFiles(store, uploadFiles);
          return removed;
        }),
      whenFailed: "the next run removes the files",
    },
  ];
}

/** Of all workspaces: those that nobody has gone on with, and those that were imported long ago. */
async function purgeUploads(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const old = await tx
      .selectFrom("uploads as u")
      .leftJoin("tasks as t", "t.id", "u.task_id")
      .select("u.id")
      .where((e) => e.or([e("t.state", "is", null), e("t.state", "in", ["done", "failed", "cancelled"])]))
      .where(
        sql<number>`case when coalesce(t.ended_at, 0) > u.changed_at then t.ended_at else u.changed_at end`,
        "<",
        sql<number>`case when t.state = 'done' then ${sql.lit(nowMs - IMPORT_LIMITS.keptDays * DAY_MS)} else ${sql.lit(nowMs - IMPORT_LIMITS.idleDays * DAY_MS)} end`,
      )
      .limit(1_000)
      .execute();
    if (old.length === 0) return 0;
    const ids = old.map(({ id }) => id);
    await tx.deleteFrom("uploads").where("id", "in", ids).execute();
    // Days count as long as they are listed, and can be deleted: now they are listed as those of the command are.
    await tx
      .updateTable("imports")
      .set({ upload_id: null })
      .where("upload_id", "in", ids)
      .where("source", "=", DAYS_SOURCE)
      .execute();
    return old.length;
  });
}

/** A row comes before its file: a file without one has been deleted. */
async function purgeFiles({ read }: ControlStore, files: UploadFiles): Promise<void> {
  const ids = (await files.list()).filter((name) => isId("upl", name));
  for (const id of ids) {
    const row = await read
      .selectFrom("uploads as u")
      .leftJoin("tasks as t", "t.id", "u.task_id")
      .select("t.state")
      .where("u.id", "=", id)
      .executeTakeFirst();
    if (row === undefined) await files.removeAll(id);
    else if (row.state === "done") await files.removeFile(id);
  }
}

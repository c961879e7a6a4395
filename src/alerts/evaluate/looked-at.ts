/** How far the events of a project are looked at, in the control store. */
import { sql } from "kysely";
import type { Reader, Tx } from "../../control/store.ts";
import type { MinuteCount } from "./new-events.ts";

/** A batch of rows for one statement: SQLite takes 32,766 parameters, and a row has four. */
const ROWS_AT_ONCE = 1_000;

export interface Owned {
  readonly workspaceId: string;
  readonly projectId: string;
}

/** The versions of the cursors, by project. */
export async function readVersions(db: Reader, projects: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (projects.length === 0) return new Map();
  const rows = await db
    .selectFrom("alert_cursors")
    .select(["project_id", "version"])
    .where("project_id", "in", projects)
    .execute();
  return new Map(rows.map(({ project_id, version }) => [project_id, Number(version)]));
}

/** False if somebody else has evaluated the project since, or its alerts have changed: then nothing is to be written. */
export async function takeVersion(tx: Tx, { projectId }: Owned, version: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("alert_cursors")
    .set({ version: version + 1 })
    .where("project_id", "=", projectId)
    .where("version", "=", version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * The minutes whose number of events is another than the one that was looked at. A smaller one means that events were
 * removed; the smaller number is stored, and nothing is read.
 */
export async function findChanged(db: Reader, counts: readonly MinuteCount[]): Promise<MinuteCount[]> {
  if (counts.length === 0) return [];
  const projects = [...new Set(counts.map(({ project_id }) => project_id))];
  const rows = await db
    .selectFrom("alert_minutes")
    .select(["project_id", "minute", "events"])
    .where("project_id", "in", projects)
    .where("minute", ">=", Math.min(...counts.map(({ minute_ms }) => minute_ms)))
    .execute();
  const known = new Map(rows.map((row) => [`${row.project_id} ${row.minute}`, Number(row.events)]));
  return counts.filter(({ project_id, minute_ms, events }) => known.get(`${project_id} ${minute_ms}`) !== events);
}

export async function writeMinute(
  tx: Tx,
  { workspaceId, projectId }: Owned,
  { minuteMs, events }: { minuteMs: number; events: number },
): Promise<void> {
  await tx
    .insertInto("alert_minutes")
    .values({ workspace_id: workspaceId, project_id: projectId, minute: minuteMs, events })
    .onConflict((conflict) => conflict.columns(["project_id", "minute"]).doUpdateSet({ events }))
    .execute();
}

/** How many matches of alerts in a minute are told, by alert. */
export async function readCounts(
  db: Reader,
  alertIds: readonly string[],
  minuteMs: number,
): Promise<ReadonlyMap<string, number>> {
  if (alertIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("alert_counts")
    .select(["alert_id", "matches"])
    .where("alert_id", "in", alertIds)
    .where("minute", "=", minuteMs)
    .execute();
  return new Map(rows.map(({ alert_id, matches }) => [alert_id, Number(matches)]));
}

export async function writeCounts(
  tx: Tx,
  { workspaceId, projectId }: Owned,
  minuteMs: number,
  counts: readonly { alertId: string; matches: number }[],
): Promise<void> {
  for (let at = 0; at < counts.length; at += ROWS_AT_ONCE)
    await tx
      .insertInto("alert_counts")
      .values(
        counts.slice(at, at + ROWS_AT_ONCE).map(({ alertId, matches }) => ({
          workspace_id: workspaceId,
          project_id: projectId,
          alert_id: alertId,
          minute: minuteMs,
          matches,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["alert_id", "minute"]).doUpdateSet({ matches: sql`excluded.matches` }),
      )
      .execute();
}

/**
 * A storm: the first 25 matches within five minutes are told one by one, the others as one number when the five minutes
 * are over.
 */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { ControlStore, Tx } from "../../control/store.ts";
import { MINUTE_MS } from "../../lib/time.ts";
import { type Alert, findAlert } from "../alerts-table.ts";
import { firingId } from "../firing-id.ts";
import { countMessage, type PageUrl } from "../messages.ts";
import { recordFiring } from "../record-firing.ts";

const STORM_MS = ALERT_LIMITS.stormMinutes * MINUTE_MS;

export interface Storm {
  readonly atMs: number;
  readonly items: number;
  readonly more: number;
}

/** A clock that was set back must not make a storm endless. */
export function isOver({ atMs }: Pick<Storm, "atMs">, nowMs: number): boolean {
  return nowMs - atMs >= STORM_MS || nowMs < atMs;
}

/** Splits new matches into those that are told by themselves and those that are counted. */
export function admit(storm: Storm, matches: number, nowMs: number): { storm: Storm; items: number } {
  const current = isOver(storm, nowMs) ? { atMs: nowMs, items: 0, more: 0 } : storm;
  const items = Math.min(matches, Math.max(0, ALERT_LIMITS.items - current.items));
  return { items, storm: { ...current, items: current.items + items, more: current.more + matches - items } };
}

/** Tells the number of a storm that is over, if it has one. */
export async function tellCount(
  tx: Tx,
  alert: Alert,
  { storm, nowMs, pageUrl }: { storm: Storm; nowMs: number; pageUrl: PageUrl },
): Promise<void> {
  if (storm.more === 0) return;
  const id = firingId(alert.id, "count", String(storm.atMs));
  const told = { count: storm.more, sinceMs: storm.atMs };
  const message = countMessage(alert, id, told, nowMs, pageUrl);
  const details = { since: new Date(storm.atMs).toISOString() };
  await recordFiring(tx, alert, { id, kind: alert.trigger, count: storm.more, isCount: true, details, message }, nowMs);
}

/** The state of the alert's storm, locked until the transaction ends. Undefined if it is not active any more. */
export async function lockStorm(tx: Tx, alertId: string): Promise<Storm | undefined> {
  const row = await tx
    .updateTable("alerts")
    .set({ failures: 0 })
    .where("id", "=", alertId)
    .where("status", "=", "active")
    .returning(["storm_at", "storm_items", "storm_more"])
    .executeTakeFirst();
  return row && { atMs: Number(row.storm_at), items: row.storm_items, more: Number(row.storm_more) };
}

export async function writeStorm(tx: Tx, alertId: string, { atMs, items, more }: Storm): Promise<void> {
  await tx
    .updateTable("alerts")
    .set({ storm_at: atMs, storm_items: items, storm_more: more })
    .where("id", "=", alertId)
    .execute();
}

const AT_ONCE = 100;

/** Tells the numbers of the storms that are over. Returns how many. */
export async function tellCounts(store: ControlStore, nowMs: number, pageUrl: PageUrl): Promise<number> {
  const due = await store.read
    .selectFrom("alerts")
    .select(["id", "workspace_id"])
    .where("storm_more", ">", 0)
    .where((e) => e.or([e("storm_at", "<=", nowMs - STORM_MS), e("storm_at", ">", nowMs)]))
    .orderBy("storm_at")
    .limit(AT_ONCE)
    .execute();
  for (const { id, workspace_id } of due)
    await store.write(async (tx) => {
      const alert = await findAlert(tx, { workspaceId: workspace_id, projectId: null }, id);
      if (alert === undefined) return;
      const { storm } = alert;
      // Another node may have told it since it was read.
      const { numUpdatedRows } = await tx
        .updateTable("alerts")
        .set({ storm_more: 0, storm_items: 0 })
        .where("id", "=", id)
        .where("storm_at", "=", storm.atMs)
        .where("storm_more", "=", storm.more)
        .executeTakeFirst();
      if (numUpdatedRows === 1n) await tellCount(tx, alert, { storm, nowMs, pageUrl });
    });
  return due.length;
}

/** Telling the numbers of storms, and keeping their state. */
import { ALERT_LIMITS } from "../../contract/alerts.ts";
import type { ControlStore, Tx } from "../../control/store.ts";
import { DAY_MS } from "../../lib/time.ts";
import { type Alert, findAlert } from "../alerts-table.ts";
import { firingId } from "../firing-id.ts";
import { countMessage, type PageUrl } from "../messages.ts";
import { recordFiring } from "../record-firing.ts";
import { isOver, LONG_STORM_MS, STORM_MS, type Storm, stormOf } from "./storm.ts";

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
    .returning(["storm_at", "storm_items", "storm_more", "day_at", "day_items"])
    .executeTakeFirst();
  return row && stormOf(row);
}

export async function writeStorm(tx: Tx, alertId: string, storm: Storm): Promise<void> {
  const { atMs, items, more, dayAtMs, dayItems } = storm;
  await tx
    .updateTable("alerts")
    .set({ storm_at: atMs, storm_items: items, storm_more: more, day_at: dayAtMs, day_items: dayItems })
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
    .where((e) =>
      e.or([
        e("storm_at", "<=", nowMs - LONG_STORM_MS),
        e("storm_at", ">", nowMs),
        e.and([
          e("storm_at", "<=", nowMs - STORM_MS),
          e.or([
            e("day_items", "<", ALERT_LIMITS.itemsPerDay),
            e("day_at", "<=", nowMs - DAY_MS),
            e("day_at", ">", nowMs),
          ]),
        ]),
      ]),
    )
    .orderBy("storm_at")
    .limit(AT_ONCE)
    .execute();
  for (const { id, workspace_id } of due)
    await store.write(async (tx) => {
      const alert = await findAlert(tx, { workspaceId: workspace_id, projectId: null }, id);
      if (alert === undefined) return;
      const { storm } = alert;
      if (!isOver(storm, nowMs)) return;
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

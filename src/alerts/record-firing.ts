/**
 * Records that an alert has fired: the firing and the deliveries to its recipients, in the transaction of what caused
 * it. A firing that is there already changes nothing. This is the door for every kind of alert.
 */
import type { TriggerType } from "../contract/alerts.ts";
import type { Tx } from "../control/store.ts";
import type { Message } from "../webhooks/channels/message.ts";
import { recordMessage } from "../webhooks/record-message.ts";
import { ofAlert } from "../webhooks/sources.ts";
import type { Alert } from "./alerts-table.ts";

export interface Firing {
  /** Made by `firingId`. */
  readonly id: string;
  readonly kind: TriggerType;
  /** How many matches it tells about. */
  readonly count: number;
  /** True for matches of a storm that are told as a number. */
  readonly isCount?: boolean;
  /** What a list of firings shows: small, and no secret. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: Message;
  /** True: one that fired while the alert was muted, and still counts, is told when it is recorded again. */
  readonly isToldAfterMute?: boolean;
}

/** False if it was there already. A muted alert fires and tells nobody. */
export async function recordFiring(
  tx: Tx,
  alert: Pick<Alert, "id" | "workspaceId" | "projectId" | "mutedUntilMs">,
  firing: Firing,
  nowMs: number,
): Promise<boolean> {
  const isMuted = alert.mutedUntilMs !== null && alert.mutedUntilMs > nowMs;
  const state = firing.isCount === true ? "counted" : "sent";
  const done = await tx
    .insertInto("alert_firings")
    .values({
      id: firing.id,
      workspace_id: alert.workspaceId,
      project_id: alert.projectId,
      alert_id: alert.id,
      kind: firing.kind,
      state: isMuted ? "muted" : state,
      count: firing.count,
      details: JSON.stringify(firing.details),
      created_at: nowMs,
    })
    .onConflict((conflict) =>
      firing.isToldAfterMute === true && !isMuted
        ? // With the time at which it is told: the bell rings for what is newer than a person's last look.
          conflict.column("id").doUpdateSet({ state, created_at: nowMs }).where("alert_firings.state", "=", "muted")
        : conflict.column("id").doNothing(),
    )
    .executeTakeFirst();
  if (done.numInsertedOrUpdatedRows === 0n) return false;
  await tx.updateTable("alerts").set({ last_fired_at: nowMs }).where("id", "=", alert.id).execute();
  if (!isMuted)
    await recordMessage(tx, alert.workspaceId, {
      source: ofAlert(alert.id),
      message: firing.message,
      causeId: firing.id,
      nowMs,
    });
  return true;
}

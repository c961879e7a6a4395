import { LIMITS } from "../contract/limits.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { LEASE_MS } from "./claim.ts";
import { inState, moveDeliveries } from "./delivery-states.ts";
import { touchLane } from "./lanes.ts";
import { LONGEST_GAP_MS } from "./schedule.ts";

/** How far back the delivery log and recovery reach. */
export const KEEP_MS = LIMITS.keptDays * 24 * 3_600_000;
/** Rows of one step: it takes a few milliseconds on either store. */
const STEP_ROWS = 500;

/** Releases deliveries whose lease has expired without a settlement. */
export async function releaseLost(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const rows = await tx
      .selectFrom("deliveries")
      .select(["id", "webhook_id"])
      .where(inState("sending"))
      // A lease this far in the future was written before a clock was set back.
      .where((e) => e.or([e("lease_until", "<=", nowMs), e("lease_until", ">", nowMs + 2 * LEASE_MS)]))
      .limit(STEP_ROWS)
      .execute();
    return giveBack(tx, rows, nowMs);
  });
}

/** For the start of a service that is the only user of its store: every lease belongs to the previous, dead process. */
export async function releaseAbandoned(store: ControlStore, nowMs: number): Promise<void> {
  if (store.backend.sharedBetweenNodes) return;
  await store.write(async (tx) => {
    const rows = await tx.selectFrom("deliveries").select(["id", "webhook_id"]).where(inState("sending")).execute();
    return giveBack(tx, rows, nowMs);
  });
}

async function giveBack(tx: Tx, rows: readonly { id: string; webhook_id: string }[], nowMs: number): Promise<number> {
  // Lanes are locked before deliveries, as everywhere, so that transactions cannot deadlock.
  for (const webhookId of [...new Set(rows.map((row) => row.webhook_id))].sort()) await touchLane(tx, webhookId, 0);
  const ids = rows.map((row) => row.id);
  return (await moveDeliveries(tx, ids, { step: "release", nowMs })).size;
}

/** Makes deliveries due whose wait is longer than any gap of the retry schedule: a wrong clock dated them. */
export async function hurryMisdated(store: ControlStore, nowMs: number): Promise<number> {
  const limitMs = nowMs + LONGEST_GAP_MS;
  return store.write(async (tx) => {
    const lanes = await tx
      .selectFrom("webhooks")
      .select("id")
      .where("next_due_at", ">", limitMs)
      .orderBy("id")
      .limit(STEP_ROWS)
      .execute();
    let moved = 0;
    for (const { id } of lanes) {
      const rows = await tx
        .selectFrom("deliveries")
        .select("id")
        .where("webhook_id", "=", id)
        .where(inState("pending"))
        .where("tier", "=", 1)
        .where("due_at", ">", limitMs)
        .limit(STEP_ROWS)
        .execute();
      const ids = rows.map((row) => row.id);
      await touchLane(tx, id, 0);
      moved += (await moveDeliveries(tx, ids, { step: "hurry", nowMs, due: { atMs: nowMs, tier: 1 } })).size;
    }
    return moved;
  });
}

/**
 * Erases deliveries that were settled more than KEEP_MS ago, and their attempts. A redelivery starts the time again.
 */
export async function purgeDeliveries(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const old = tx
      .selectFrom("deliveries")
      .select("id")
      // A delivery is never settled before it is created: this condition uses the index, the next one decides.
      .where("created_at", "<", nowMs - KEEP_MS)
      .where((e) => e(e.fn.coalesce("settled_at", "created_at"), "<", nowMs - KEEP_MS))
      .where("state", "not in", ["pending", "sending"])
      .limit(STEP_ROWS);
    const done = await tx.deleteFrom("deliveries").where("id", "in", old).executeTakeFirst();
    return Number(done.numDeletedRows);
  });
}

/** Erases deleted subscriptions: first their deliveries, then the subscription. */
export async function purgeDeletedWebhooks(store: ControlStore): Promise<number> {
  return store.write(async (tx) => {
    const webhook = await tx
      .selectFrom("webhooks")
      .select("id")
      .where("deleted_at", "is not", null)
      .where((e) =>
        e.not(
          e.exists(
            e
              .selectFrom("deliveries")
              .select("deliveries.id")
              .whereRef("deliveries.webhook_id", "=", "webhooks.id")
              .where(inState("sending")),
          ),
        ),
      )
      .limit(1)
      .executeTakeFirst();
    if (!webhook) return 0;
    const rows = tx.selectFrom("deliveries").select("id").where("webhook_id", "=", webhook.id).limit(STEP_ROWS);
    const done = await tx.deleteFrom("deliveries").where("id", "in", rows).executeTakeFirst();
    if (done.numDeletedRows > 0n) return Number(done.numDeletedRows);
    await tx.deleteFrom("webhooks").where("id", "=", webhook.id).execute();
    return 1;
  });
}

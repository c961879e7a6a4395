import type { Backend, ControlStore, Tx } from "../control/store.ts";
import { inState, moveDeliveries } from "./delivery-states.ts";
import { refreshLanes } from "./lanes.ts";

/** A long queue is closed in steps of this many rows, a few milliseconds each, so that other writers do not wait. */
const STEP_ROWS = 500;

/**
 * Closes the pending deliveries of a lane that may not send, and returns their number. They are skipped (and
 * recoverable) if the subscription is disabled, ended if it has ended. The lane was read before this transaction began:
 * if it was enabled since then, its deliveries stay pending.
 */
export async function closeLane(store: ControlStore, webhookId: string, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const step = await findStep(tx, store.backend, webhookId);
    if (step === undefined) return 0;
    const rows = await tx
      .selectFrom("deliveries")
      .select("id")
      .where("webhook_id", "=", webhookId)
      .where(inState("pending"))
      .limit(STEP_ROWS)
      .execute();
    const moved = await moveDeliveries(
      tx,
      rows.map((row) => row.id),
      { step, nowMs },
    );
    await refreshLanes(tx, store.backend, [webhookId]);
    return moved.size;
  });
}

/** Decides by the current row, locked until the transaction ends. Undefined if the lane may send or is erased. */
async function findStep(tx: Tx, backend: Backend, webhookId: string): Promise<"skip" | "end" | undefined> {
  const query = tx.selectFrom("webhooks").select(["status", "deleted_at"]).where("id", "=", webhookId);
  const row = await (backend.skipLocked ? query.forNoKeyUpdate() : query).executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.deleted_at !== null || row.status === "ended") return "end";
  return row.status === "disabled" ? "skip" : undefined;
}

import type { ControlStore } from "../control/store.ts";
import { inState, moveDeliveries } from "./delivery-states.ts";
import { type Lane, refreshLanes } from "./lanes.ts";

/** A long queue is closed in steps of this many, a few milliseconds each, so that nobody waits for the store meanwhile. */
const STEP_ROWS = 500;

/** What waits in a lane that may not send: skipped (and recoverable) while it is disabled, ended when it has ended. */
export async function closeLane(store: ControlStore, lane: Lane, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const rows = await tx
      .selectFrom("deliveries")
      .select("id")
      .where("webhook_id", "=", lane.webhookId)
      .where(inState("pending"))
      .limit(STEP_ROWS)
      .execute();
    const moved = await moveDeliveries(
      tx,
      rows.map((row) => row.id),
      { step: lane.status === "disabled" ? "skip" : "end", nowMs },
    );
    await refreshLanes(tx, store.backend, [lane.webhookId]);
    return moved.size;
  });
}

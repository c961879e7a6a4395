import { sql } from "kysely";
import type { Tx } from "../control/store.ts";
import type { Lane } from "./lanes.ts";
import { changeStatus } from "./subscriptions.ts";

const HOUR = 3_600_000;

/** A target that has failed for so long, and so often, is given up until somebody enables it again. */
export const DISABLE_AFTER_MS = 120 * HOUR;
const DISABLE_FAILURES = 20;
/** From here on the log and the subscription itself say that it will be given up. */
export const WARN_AFTER_MS = 24 * HOUR;
/** Writing down every success would be one more write per delivery; people read it in minutes. */
const SUCCESS_STEP_MS = 60_000;

export type HealthNews = "failing" | "disabled";

/**
 * Forgives what failed before. `lane` is as it was when the delivery was taken: mostly there is nothing to write, unless a
 * delivery taken together with this one has failed meanwhile.
 */
export async function noteSuccess(
  tx: Tx,
  lane: Pick<Lane, "webhookId" | "failing" | "lastSuccessAtMs">,
  nowMs: number,
): Promise<void> {
  const sinceMs = nowMs - (lane.lastSuccessAtMs ?? Number.NEGATIVE_INFINITY);
  const isKnown = !lane.failing && sinceMs >= 0 && sinceMs < SUCCESS_STEP_MS;
  let update = tx
    .updateTable("webhooks")
    .set({ last_success_at: nowMs, failing_since: null, failures: 0 })
    .where("id", "=", lane.webhookId);
  if (isKnown) update = update.where("failing_since", "is not", null);
  await update.execute();
}

/** Counts failures; says so when they make the subscription worth a warning, or end its patience. */
export async function noteFailures(
  tx: Tx,
  { workspaceId, webhookId }: Pick<Lane, "workspaceId" | "webhookId">,
  failures: number,
  nowMs: number,
): Promise<HealthNews | undefined> {
  const before = await tx
    .selectFrom("webhooks")
    .select(["last_failure_at"])
    .where("id", "=", webhookId)
    .executeTakeFirst();
  const row = await tx
    .updateTable("webhooks")
    .set({
      failures: sql`failures + ${failures}`,
      failing_since: sql`coalesce(failing_since, ${nowMs})`,
      last_failure_at: nowMs,
    })
    .where("id", "=", webhookId)
    .returning(["status", "failing_since", "failures"])
    .executeTakeFirst();
  if (row?.status !== "active" || row.failing_since === null) return undefined;
  const failedForMs = nowMs - row.failing_since;
  if (failedForMs >= DISABLE_AFTER_MS && row.failures >= DISABLE_FAILURES) {
    await changeStatus(tx, workspaceId, webhookId, "disabled", "failures", nowMs);
    return "disabled";
  }
  const knownForMs = (before?.last_failure_at ?? 0) - row.failing_since;
  return failedForMs >= WARN_AFTER_MS && knownForMs < WARN_AFTER_MS ? "failing" : undefined;
}

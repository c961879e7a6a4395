import { sql } from "kysely";
import type { Tx } from "../control/store.ts";
import type { Lane } from "./lanes.ts";
import { changeStatus } from "./subscriptions.ts";

const HOUR = 3_600_000;

/** A subscription is disabled after it has failed for this long, at least DISABLE_FAILURES times, without a success. */
export const DISABLE_AFTER_MS = 120 * HOUR;
const DISABLE_FAILURES = 20;
/** From here on the log and the subscription itself warn that it will be disabled. */
export const WARN_AFTER_MS = 24 * HOUR;
/**
 * The precision of `last_success_at`. Storing every success would add a write to each delivery; people read minutes.
 */
const SUCCESS_STEP_MS = 60_000;

export type HealthNews = "failing" | "disabled";

/**
 * Clears the failures of a subscription. `lane` is as it was at the claim. Usually there is nothing to write, unless a
 * delivery claimed together with this one has failed since.
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

/** Counts failures. Returns news when the subscription starts to be worth a warning, or is disabled. */
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

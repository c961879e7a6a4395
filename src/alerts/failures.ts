/** An alert that fails five times in a row becomes inactive, and says why. */
import { sql } from "kysely";
import { ALERT_LIMITS } from "../contract/alerts.ts";
import type { ControlStore } from "../control/store.ts";

const REASON_CHARS = 300;

/** Counts a failure that is the alert's own, not one of the engine. True if it is inactive now. */
export async function noteFailure(
  store: ControlStore,
  { id }: { readonly id: string },
  cause: unknown,
  nowMs: number,
): Promise<boolean> {
  const reason = (cause instanceof Error ? cause.message : String(cause)).slice(0, REASON_CHARS).toWellFormed();
  const isLast = sql<boolean>`failures + 1 >= ${ALERT_LIMITS.failures}`;
  const row = await store.write((tx) =>
    tx
      .updateTable("alerts")
      .set({
        failures: sql`failures + 1`,
        status: sql`case when ${isLast} then 'inactive' else status end`,
        status_reason: sql`case when ${isLast} then cast(${reason} as text) else status_reason end`,
        updated_at: sql`case when ${isLast} then ${nowMs} else updated_at end`,
      })
      .where("id", "=", id)
      .where("status", "=", "active")
      .returning("status")
      .executeTakeFirst(),
  );
  return row?.status === "inactive";
}

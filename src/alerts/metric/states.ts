/** What is remembered of metric alerts between two evaluations, and which are due. */
import { sql } from "kysely";
import type { MetricStatus } from "../../contract/metric-alerts.ts";
import type { Reader, Tx } from "../../control/store.ts";
import type { Alert } from "../alerts-table.ts";
import { FIRST, type Memory } from "./advance.ts";

/** The last evaluation. */
export interface Evaluation {
  readonly memory: Memory;
  readonly value: number | null;
  /** Why there is no value, or no verdict. */
  readonly reason: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly dueMs: number;
  readonly skipped: number;
  readonly skippedFromMs: number | null;
}

export interface DueAlert {
  readonly id: string;
  readonly workspaceId: string;
}

/**
 * Those whose window is closed at the watermark. An alert that is new, or was changed, is due at once. First the longest due one of each workspace, then the second of
 * each: many alerts of one do not come before the first of another.
 */
export async function listDueMetrics(db: Reader, watermarkMs: number, most: number): Promise<DueAlert[]> {
  const rows = await db
    .selectFrom("alerts")
    .leftJoin("alert_metrics", "alert_metrics.alert_id", "alerts.id")
    .select(["alerts.id", "alerts.workspace_id"])
    .select(
      sql<number>`row_number() over (
        partition by alerts.workspace_id order by coalesce(alert_metrics.due_at, 0), alerts.id
      )`.as("turn"),
    )
    .where("alerts.status", "=", "active")
    .where("alerts.trigger_type", "=", "metric")
    .where((e) =>
      e.or([
        e("alert_metrics.due_at", "is", null),
        e("alert_metrics.due_at", "<=", watermarkMs),
        e("alert_metrics.active_since", "!=", e.ref("alerts.active_since")),
      ]),
    )
    .orderBy("turn")
    .orderBy("alerts.id")
    .limit(most)
    .execute();
  return rows.map(({ id, workspace_id }) => ({ id, workspaceId: workspace_id }));
}

/** Of this definition of the alert; undefined if it was not evaluated yet. */
export function findEvaluation({ evaluation, activeSinceMs }: Alert): Evaluation | undefined {
  if (evaluation === null || evaluation.activeSinceMs !== activeSinceMs) return undefined;
  return JSON.parse(evaluation.memory) as Evaluation;
}

export function memoryOf(alert: Alert): Memory {
  return findEvaluation(alert)?.memory ?? FIRST;
}

/**
 * False if another has evaluated this window, or the alert was changed or switched off meanwhile: then nothing of the
 * evaluation may be written. The row of the alert is locked until the end of the transaction.
 */
export async function saveEvaluation(tx: Tx, alert: Alert, evaluation: Evaluation): Promise<boolean> {
  const before = findEvaluation(alert);
  const held = await tx
    .updateTable("alerts")
    .set({ state: sql`state` })
    .where("id", "=", alert.id)
    .where("workspace_id", "=", alert.workspaceId)
    .where("status", "=", "active")
    .where("active_since", "=", alert.activeSinceMs)
    .executeTakeFirst();
  if (held.numUpdatedRows === 0n) return false;
  const row = {
    active_since: alert.activeSinceMs,
    evaluated_to: evaluation.toMs,
    due_at: evaluation.dueMs,
    memory: JSON.stringify(evaluation),
  };
  const done = await tx
    .insertInto("alert_metrics")
    .values({ workspace_id: alert.workspaceId, project_id: alert.projectId, alert_id: alert.id, ...row })
    .onConflict((conflict) =>
      conflict
        .column("alert_id")
        .doUpdateSet(row)
        .where((e) =>
          before === undefined
            ? e("alert_metrics.active_since", "!=", alert.activeSinceMs)
            : e.and([
                e("alert_metrics.active_since", "=", alert.activeSinceMs),
                e("alert_metrics.evaluated_to", "=", before.toMs),
              ]),
        ),
    )
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

export function viewEvaluation(alert: Alert): MetricStatus | null {
  const found = findEvaluation(alert);
  if (found === undefined) return null;
  const { memory } = found;
  return {
    state: memory.state,
    value: found.value,
    reason: found.reason,
    window_from: iso(found.fromMs),
    window_to: iso(found.toMs),
    next_at: iso(found.dueMs),
    firing_since: iso(memory.firing?.sinceMs ?? null),
    skipped: found.skipped,
    skipped_from: iso(found.skippedFromMs),
  };
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * A lane is the queue of one subscription. `webhooks.next_due_at` is the time at which it next has a delivery to send.
 * Finding work therefore costs one index entry per due lane, however many deliveries wait in lanes that are full or
 * dead.
 */
import { type RawBuilder, sql } from "kysely";
import type { Backend, Reader, Tx } from "../control/store.ts";
import type { Style } from "./styles.ts";

export interface Lane {
  webhookId: string;
  workspaceId: string;
  /** What causes its events: see sources.ts. */
  sourceId: string;
  targetUrl: string;
  /** Scheme, host and port: a host that hangs on one path usually hangs on all of them. */
  targetOrigin: string;
  style: Style;
  /** False when the lane may not send: its pending deliveries are then skipped or ended. */
  open: boolean;
  failing: boolean;
  lastSuccessAtMs: number | null;
  sealedSecret: string;
  sealedPrevious: string | null;
  previousUntilMs: number | null;
}

/** Lanes and origins whose slots are all taken. */
export interface FullSlots {
  lanes: readonly string[];
  origins: readonly string[];
  /** Origins that are full for failing lanes. */
  failingOrigins: readonly string[];
}

/** Due lanes, healthy ones first. */
export async function findDueLanes(
  db: Reader,
  nowMs: number,
  options: { without: FullSlots; failingToo: boolean; limit: number },
): Promise<Lane[]> {
  let query = db
    .selectFrom("webhooks")
    .select([
      "id",
      "workspace_id",
      "source_id",
      "target_url",
      "target_origin",
      "style",
      "status",
      "deleted_at",
      "failing_since",
      "last_success_at",
      "secret",
      "previous_secret",
      "previous_secret_until",
    ])
    .where("next_due_at", "<=", nowMs);
  const { lanes, origins, failingOrigins } = options.without;
  if (lanes.length > 0) query = query.where("id", "not in", lanes);
  if (origins.length > 0) query = query.where("target_origin", "not in", origins);
  if (failingOrigins.length > 0)
    query = query.where((e) => e.or([e("failing_since", "is", null), e("target_origin", "not in", failingOrigins)]));
  if (!options.failingToo) query = query.where("failing_since", "is", null);
  const rows = await query
    .orderBy(sql`case when failing_since is null then 0 else 1 end`)
    .orderBy("next_due_at")
    .orderBy("id")
    .limit(options.limit)
    .execute();
  return rows.map((row) => ({
    webhookId: row.id,
    workspaceId: row.workspace_id,
    sourceId: row.source_id,
    targetUrl: row.target_url,
    targetOrigin: row.target_origin,
    style: row.style,
    open: row.status === "active" && row.deleted_at === null,
    failing: row.failing_since !== null,
    lastSuccessAtMs: row.last_success_at,
    sealedSecret: row.secret,
    sealedPrevious: row.previous_secret,
    previousUntilMs: row.previous_secret_until,
  }));
}

/** When the next lane becomes due. */
export async function findNextDueAt(db: Reader, nowMs: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("webhooks")
    .select("next_due_at")
    .where("next_due_at", ">", nowMs)
    .orderBy("next_due_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_due_at ?? undefined;
}

/** The due time of the oldest delivery that is due and may be sent. */
export async function findOldestDueAt(db: Reader, nowMs: number): Promise<number | undefined> {
  const first = sql<number | null>`(
    select nullif(d.due_at, 0) from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending'
    order by d.tier, d.due_at limit 1)`;
  const row = await db
    .selectFrom("webhooks")
    .select((e) => e.fn.min<number | null>(first).as("oldest"))
    .where("next_due_at", "<=", nowMs)
    .where("status", "=", "active")
    .executeTakeFirst();
  return row?.oldest ?? undefined;
}

/**
 * Sets `next_due_at` from the deliveries that are left in the lanes. Every writer updates the lane's row before it adds
 * a delivery, so if the row is not locked, the second statement sees all of the lane's deliveries. A lane that is
 * locked is skipped and stays due, so that no transaction waits here.
 */
export async function refreshLanes(tx: Tx, backend: Backend, webhookIds: readonly string[]): Promise<void> {
  const query = tx.selectFrom("webhooks").select("id").where("id", "in", webhookIds);
  const rows = await (backend.skipLocked ? query.forNoKeyUpdate().skipLocked() : query).execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await tx.updateTable("webhooks").set({ next_due_at: firstDue() }).where("id", "in", ids).execute();
}

/** New deliveries are due at once (0); otherwise the earliest retry decides. */
function firstDue(): RawBuilder<number | null> {
  return sql`case
    when exists (
      select 1 from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending' and d.tier = 0) then 0
    else (
      select min(d.due_at) from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending' and d.tier = 1)
  end`;
}

/** Makes the lane due at `dueAtMs` (0: at once). A lane that may not send becomes due at once, to be closed. */
export async function touchLane(tx: Tx, webhookId: string, dueAtMs: number): Promise<void> {
  await tx
    .updateTable("webhooks")
    .set({
      next_due_at: sql`case
        when status <> 'active' or deleted_at is not null then 0
        when next_due_at <= ${dueAtMs} then next_due_at
        else ${dueAtMs} end`,
    })
    .where("id", "=", webhookId)
    .execute();
}

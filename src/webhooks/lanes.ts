/**
 * A lane is the queue of one subscription. `webhooks.next_due_at` says when it next has something to send, so that looking
 * for work costs an index entry per lane with work, however many deliveries wait in lanes that are full or dead.
 */
import { type RawBuilder, sql } from "kysely";
import type { Backend, Reader, Tx } from "../control/store.ts";

export interface Lane {
  webhookId: string;
  workspaceId: string;
  targetUrl: string;
  /** Scheme, host and port: a host that hangs on one path mostly hangs on all of them. */
  targetOrigin: string;
  /** False when nothing may be sent: what waits is then skipped or ended. */
  open: boolean;
  failing: boolean;
  lastSuccessAtMs: number | null;
  sealedSecret: string;
  sealedPrevious: string | null;
  previousUntilMs: number | null;
}

/** What can take no more attempts now. */
export interface FullSlots {
  lanes: readonly string[];
  origins: readonly string[];
  /** For lanes that fail. */
  failingOrigins: readonly string[];
}

/** Lanes with something due, healthy ones first. */
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
      "target_url",
      "target_origin",
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
    targetUrl: row.target_url,
    targetOrigin: row.target_origin,
    open: row.status === "active" && row.deleted_at === null,
    failing: row.failing_since !== null,
    lastSuccessAtMs: row.last_success_at,
    sealedSecret: row.secret,
    sealedPrevious: row.previous_secret,
    previousUntilMs: row.previous_secret_until,
  }));
}

/** When the first lane that has nothing due yet will have. */
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

/** Since when the oldest delivery that could be sent now could have been. */
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
 * Brings `next_due_at` in line with what is left in the lanes. Whoever adds to a lane changes its row first, so a lane whose row
 * is free holds nothing that the second statement cannot see; one that somebody is just changing stays due as it is, and nobody
 * waits for anybody here.
 */
export async function refreshLanes(tx: Tx, backend: Backend, webhookIds: readonly string[]): Promise<void> {
  const query = tx.selectFrom("webhooks").select("id").where("id", "in", webhookIds);
  const rows = await (backend.skipLocked ? query.forNoKeyUpdate().skipLocked() : query).execute();
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await tx.updateTable("webhooks").set({ next_due_at: firstDue() }).where("id", "in", ids).execute();
}

/** What is new goes at once; of what waits, the first. */
function firstDue(): RawBuilder<number | null> {
  return sql`case
    when exists (select 1 from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending' and d.tier = 0) then 0
    else (select min(d.due_at) from deliveries d where d.webhook_id = webhooks.id and d.state = 'pending' and d.tier = 1)
  end`;
}

/** Something in the lane is due at `dueAtMs` (0: at once). A lane that may not send is looked at at once, to be closed. */
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

/** The history of an alert: its firings, and what became of their deliveries. */
import type { Page, Paging } from "../control/page.ts";
import { toPage, windowOf } from "../control/page.ts";
import type { Reader } from "../control/store.ts";
import { isId } from "../lib/ids.ts";
import { type CausedDelivery, listCaused } from "../webhooks/caused.ts";

export interface StoredFiring {
  id: string;
  alertId: string;
  kind: "event" | "user" | "metric";
  state: "sent" | "muted" | "counted";
  count: number;
  details: Record<string, unknown>;
  createdAtMs: number;
  deliveries: readonly CausedDelivery[];
}

/** Newest first. */
export async function listFirings(
  db: Reader,
  workspaceId: string,
  alertId: string,
  paging: Paging,
): Promise<Page<StoredFiring>> {
  const { limit, offset } = windowOf(paging);
  const rows = await select(db, workspaceId, alertId)
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { n } = await select(db, workspaceId, alertId)
    .select((e) => e.fn.countAll<number | string>().as("n"))
    .executeTakeFirstOrThrow();
  const ids = rows.map(({ id }) => id);
  const deliveries = await listCaused(db, workspaceId, ids);
  const firings = rows.map((row) => ({
    id: row.id,
    alertId: row.alert_id,
    kind: row.kind,
    state: row.state,
    count: Number(row.count),
    details: JSON.parse(row.details) as Record<string, unknown>,
    createdAtMs: row.created_at,
    deliveries: deliveries.get(row.id) ?? [],
  }));
  return toPage(paging, firings, Number(n));
}

export async function hasFiring(
  db: Reader,
  workspaceId: string,
  { alertId, firingId }: { alertId: string; firingId: string },
): Promise<boolean> {
  if (!isId("frg", firingId)) return false;
  const row = await select(db, workspaceId, alertId).select("id").where("id", "=", firingId).executeTakeFirst();
  return row !== undefined;
}

function select(db: Reader, workspaceId: string, alertId: string) {
  return db.selectFrom("alert_firings").where("workspace_id", "=", workspaceId).where("alert_id", "=", alertId);
}

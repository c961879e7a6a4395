import { sql } from "kysely";
import type { Backend, ControlStore, Tx } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { moveDeliveries } from "./delivery-states.ts";
import { type Lane, refreshLanes } from "./lanes.ts";

/**
 * An attempt ends 15 s after the claim at the latest; the other 5 s are for settling it. After that another node may
 * claim it.
 */
export const LEASE_MS = 20_000;

export interface Share {
  lane: Lane;
  /** How many deliveries of the lane may be claimed now. */
  slots: number;
}

export interface Claimed {
  id: string;
  lane: Lane;
  lease: string;
  /** Steady clock: the lease runs from here. */
  claimedAtMs: number;
  eventType: string;
  payload: string;
  tries: number;
  attempts: number;
  createdAtMs: number;
}

/**
 * Claims due deliveries of the given lanes under one lease, new ones before retries. The clock is read inside the
 * transaction: otherwise the lease would already run while the transaction waits for the store.
 */
export async function claimDeliveries(
  store: ControlStore,
  shares: readonly Share[],
  steady: Clock,
): Promise<Claimed[]> {
  const lease = newId("lease");
  return store.write(async (tx) => {
    const found = pickShares(shares, await selectDue(tx, store.backend, shares, steady.nowMs()));
    const nowMs = steady.nowMs();
    const moved = await moveDeliveries(
      tx,
      found.map((row) => row.id),
      { step: "claim", nowMs, lease: { owner: lease, untilMs: nowMs + LEASE_MS } },
    );
    await refreshLanes(
      tx,
      store.backend,
      shares.map((share) => share.lane.webhookId),
    );
    const lanes = new Map(shares.map(({ lane }) => [lane.webhookId, lane]));
    return found.flatMap((row) => {
      const lane = lanes.get(row.webhook_id);
      if (!lane || !moved.has(row.id)) return [];
      const { id, payload, tries, attempts, event_type: eventType } = row;
      return [
        { id, lane, lease, claimedAtMs: nowMs, eventType, payload, tries, attempts, createdAtMs: row.created_at },
      ];
    });
  });
}

interface Due {
  id: string;
  webhook_id: string;
  event_type: string;
  payload: string;
  tries: number;
  attempts: number;
  created_at: number;
}

/**
 * One statement for all lanes and both tiers. Each part is an index range of its own with a limit. On PostgreSQL, rows
 * that another worker is claiming are skipped instead of waited for.
 */
async function selectDue(tx: Tx, backend: Backend, shares: readonly Share[], nowMs: number): Promise<Due[]> {
  const lock = backend.skipLocked ? sql`for update skip locked` : sql``;
  const parts = shares.flatMap(({ lane, slots }) =>
    [sql`tier = 0`, sql`tier = 1 and due_at <= ${nowMs}`].map(
      (due) => sql`select * from (
        select id, webhook_id, event_type, payload, tries, attempts, created_at from deliveries
        where webhook_id = ${lane.webhookId} and state = 'pending' and ${due}
        order by tier, due_at, sequence limit ${slots} ${lock}) part`,
    ),
  );
  return (await sql<Due>`${sql.join(parts, sql` union all `)}`.execute(tx)).rows;
}

function pickShares(shares: readonly Share[], rows: readonly Due[]): Due[] {
  const left = new Map(shares.map(({ lane, slots }) => [lane.webhookId, slots]));
  return rows.filter((row) => {
    const slots = left.get(row.webhook_id) ?? 0;
    left.set(row.webhook_id, slots - 1);
    return slots > 0;
  });
}

/**
 * A delivery is one event on its way to one subscription:
 *
 *   (outbox) --> pending --claim--> sending --deliver (2xx)--> delivered
 *      |          ^  ^  |              |-----fail (no attempt left)--> failed
 *      |          |  |  |              |-----gone (410)--> ended
 *      |          |  |  |<--retry------|
 *      |          |  |  |<--release----'  (lease expired, or the process stops: the attempt does not count)
 *      |          |  |  |--skip (subscription disabled)--> skipped
 *      |          |  |  '--end (subscription ended or deleted)--> ended
 *      |          |  '--hurry (dated by a wrong clock), restart (redelivery of a pending one: a new round)
 *      |          '--again (redeliver, recover) <-- delivered, failed, skipped, ended
 *      '--> skipped (subscription disabled at the time)
 *
 * `sending` carries a lease: only its holder may settle the delivery. When the lease expires, any node may release it.
 */
import { type RawBuilder, sql } from "kysely";
import type { ControlSchema } from "../control/schema.ts";
import type { Tx } from "../control/store.ts";

export type DeliveryState = ControlSchema["deliveries"]["state"];

/** Literals, and an equality for a single state: otherwise SQLite does not use the partial index of that state. */
export function inState(...states: DeliveryState[]): RawBuilder<boolean> {
  const [first] = states;
  if (states.length === 1) return sql<boolean>`state = ${sql.lit(first)}`;
  return sql<boolean>`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

const SETTLED: readonly DeliveryState[] = ["delivered", "failed", "skipped", "ended"];

const STEPS = {
  claim: { from: ["pending"], to: "sending", counts: false },
  deliver: { from: ["sending"], to: "delivered", counts: true },
  retry: { from: ["sending"], to: "pending", counts: true },
  fail: { from: ["sending"], to: "failed", counts: true },
  gone: { from: ["sending"], to: "ended", counts: true },
  release: { from: ["sending"], to: "pending", counts: false },
  skip: { from: ["pending"], to: "skipped", counts: false },
  end: { from: ["pending"], to: "ended", counts: false },
  hurry: { from: ["pending"], to: "pending", counts: false },
  restart: { from: ["pending"], to: "pending", counts: false },
  again: { from: SETTLED, to: "pending", counts: false },
} as const satisfies Record<string, { from: readonly DeliveryState[]; to: DeliveryState; counts: boolean }>;

export type Step = keyof typeof STEPS;

interface Move {
  step: Step;
  nowMs: number;
  /** Only rows under this lease change. */
  heldBy?: string;
  lease?: { owner: string; untilMs: number };
  /** For deliveries that become pending: when they are due, and whether they precede retries (tier 0). */
  due?: { atMs: number; tier: 0 | 1 };
}

/**
 * The only function that changes a delivery's state. Returns the ids that changed; the others were in a state that the
 * step does not start from.
 */
export async function moveDeliveries(tx: Tx, ids: readonly string[], move: Move): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { from, to, counts } = STEPS[move.step];
  const newRound = move.step === "again" || move.step === "restart" ? { tries: 0 } : {};
  let update = tx
    .updateTable("deliveries")
    .set({
      state: to,
      settled_at: SETTLED.includes(to) ? move.nowMs : null,
      lease_owner: move.lease?.owner ?? null,
      lease_until: move.lease?.untilMs ?? null,
      ...(move.due ? { due_at: move.due.atMs, tier: move.due.tier } : {}),
      ...(counts ? { tries: sql`tries + 1`, attempts: sql`attempts + 1` } : newRound),
    })
    .where("id", "in", ids)
    .where("state", "in", from);
  if (move.heldBy !== undefined) update = update.where("lease_owner", "=", move.heldBy);
  const moved = await update.returning("id").execute();
  return new Set(moved.map((row) => row.id));
}

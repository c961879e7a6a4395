import type { ControlStore, Tx } from "../control/store.ts";
import type { Claimed } from "./claim.ts";
import { inState, moveDeliveries } from "./delivery-states.ts";
import { type HealthNews, noteFailures, noteSuccess } from "./health.ts";
import { touchLane } from "./lanes.ts";
import { nextAttemptAt } from "./schedule.ts";
import type { AttemptOutcome } from "./send.ts";
import { changeStatus } from "./subscriptions.ts";

export interface Attempt {
  delivery: Claimed;
  outcome: AttemptOutcome;
  /** Wall clock, shown to people. */
  startedAtMs: number;
  /** Steady clock: the next gap of the retry schedule starts here. */
  endedAtMs: number;
}

export type Verdict =
  | { kind: "delivered" }
  | { kind: "retry"; atMs: number }
  | { kind: "failed" }
  /** The target has answered 410, or the owner of an address has unsubscribed. */
  | { kind: "gone" }
  /** Nothing was sent: the process is stopping, no connection was free, or it was too late in its lease. */
  | { kind: "released" };

export interface Settled {
  attempt: Attempt;
  verdict: Verdict;
}

export interface SettleResult {
  settled: Settled[];
  news: { webhookId: string; news: HealthNews | "ended" }[];
}

const GONE = 410;
const UNSENT: ReadonlySet<string> = new Set(["stopped", "busy", "late"]);

/** Decides what an outcome means for its delivery. */
function judge(attempt: Attempt, random: () => number): Verdict {
  const { outcome, delivery, endedAtMs } = attempt;
  if (outcome.kind === "failed" && UNSENT.has(outcome.reason)) return { kind: "released" };
  if (outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300) return { kind: "delivered" };
  if (outcome.kind === "answered" && outcome.status === GONE) return { kind: "gone" };
  if (outcome.kind === "refused" && outcome.reason === "unsubscribed") return { kind: "gone" };
  if (outcome.kind === "answered" && outcome.isFinal === true) return { kind: "failed" };
  const asked = outcome.kind === "answered" ? outcome.retryAfterMs : undefined;
  const atMs = nextAttemptAt(delivery.tries + 1, endedAtMs, asked, random);
  return atMs === undefined ? { kind: "failed" } : { kind: "retry", atMs };
}

/**
 * Settles a batch of attempts in one transaction: each delivery's state, its entry in the delivery log, and the health
 * of its subscription. An attempt that lost its lease changes nothing: the new holder of the lease settles it.
 */
export async function settleAttempts(
  store: ControlStore,
  attempts: readonly Attempt[],
  random: () => number,
  nowMs: number,
): Promise<SettleResult> {
  const verdicts = attempts.map((attempt) => ({ attempt, verdict: judge(attempt, random) }));
  return store.write(async (tx) => {
    const held = await findHeld(tx, verdicts);
    const byWebhook = [...Map.groupBy(held, ({ attempt }) => attempt.delivery.lane.webhookId)];
    const news: SettleResult["news"] = [];
    // In the order of the subscriptions' ids, as everywhere, so that transactions cannot deadlock.
    for (const [webhookId, group] of byWebhook.sort(([a], [b]) => (a < b ? -1 : 1))) {
      const change = await noteGroup(tx, group, nowMs);
      if (change) news.push({ webhookId, news: change });
    }
    const settled = await moveAll(tx, held, nowMs);
    await insertAttempts(tx, settled);
    return { settled, news };
  });
}

/** Checked before any write: a late 410 under a lost lease must not end a subscription that has answered since. */
async function findHeld(tx: Tx, verdicts: readonly Settled[]): Promise<Settled[]> {
  const ids = verdicts.map(({ attempt }) => attempt.delivery.id);
  const rows = await tx
    .selectFrom("deliveries")
    .select(["id", "lease_owner"])
    .where("id", "in", ids)
    .where(inState("sending"))
    .execute();
  const holders = new Map(rows.map((row) => [row.id, row.lease_owner]));
  return verdicts.filter(({ attempt: { delivery } }) => holders.get(delivery.id) === delivery.lease);
}

/** Updates the health of one subscription. One success outweighs the failures of the same batch. */
async function noteGroup(tx: Tx, group: readonly Settled[], nowMs: number): Promise<HealthNews | "ended" | undefined> {
  const lane = group[0]?.attempt.delivery.lane;
  if (!lane) return undefined;
  const dueAtMs = group.flatMap(({ verdict }) => {
    if (verdict.kind === "released") return [0];
    return verdict.kind === "retry" ? [verdict.atMs] : [];
  });
  if (dueAtMs.length > 0) await touchLane(tx, lane.webhookId, Math.min(...dueAtMs));
  if (group.some(({ verdict }) => verdict.kind === "gone")) {
    await changeStatus(tx, lane.workspaceId, lane.webhookId, "ended", "gone", nowMs);
    return "ended";
  }
  if (group.some(({ verdict }) => verdict.kind === "delivered")) {
    await noteSuccess(tx, lane, nowMs);
    return undefined;
  }
  const failures = group.filter(({ verdict }) => verdict.kind === "retry" || verdict.kind === "failed").length;
  return failures > 0 ? noteFailures(tx, lane, failures, nowMs) : undefined;
}

const STEP_OF = { delivered: "deliver", retry: "retry", failed: "fail", gone: "gone", released: "release" } as const;

/**
 * Deliveries with the same outcome and lease change in one statement. A retry has its own due time and its own
 * statement.
 */
async function moveAll(tx: Tx, verdicts: readonly Settled[], nowMs: number): Promise<Settled[]> {
  const groups = Map.groupBy(verdicts, ({ attempt, verdict }) =>
    verdict.kind === "retry" ? attempt.delivery.id : `${verdict.kind} ${attempt.delivery.lease}`,
  );
  const held: Settled[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (!first) continue;
    const { verdict } = first;
    const moved = await moveDeliveries(
      tx,
      group.map(({ attempt }) => attempt.delivery.id),
      {
        step: STEP_OF[verdict.kind],
        nowMs,
        heldBy: first.attempt.delivery.lease,
        ...(verdict.kind === "retry" ? { due: { atMs: verdict.atMs, tier: 1 } as const } : {}),
      },
    );
    held.push(...group.filter(({ attempt }) => moved.has(attempt.delivery.id)));
  }
  return held;
}

async function insertAttempts(tx: Tx, settled: readonly Settled[]): Promise<void> {
  const rows = settled
    .filter(({ verdict }) => verdict.kind !== "released")
    .map(({ attempt: { delivery, outcome, startedAtMs } }) => ({
      delivery_id: delivery.id,
      number: delivery.attempts + 1,
      started_at: startedAtMs,
      duration_ms: Math.round(outcome.durationMs),
      outcome: outcome.kind,
      status: outcome.kind === "answered" ? outcome.status : null,
      reason: outcome.kind === "answered" ? null : outcome.reason,
      response: outcome.kind === "answered" ? outcome.bodyExcerpt : null,
    }));
  if (rows.length > 0) await tx.insertInto("delivery_attempts").values(rows).execute();
}

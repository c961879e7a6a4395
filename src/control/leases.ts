/**
 * Work that one node does for all. A row for each name says until when nobody else begins it:
 *
 *   free --claim--> held --renew, every 10 s--> held --rest (the run ended)--> resting --its time--> free
 *                     |--free (the node stops)--> free
 *                     '--30 s without a renewal (the node died)--> free
 *
 * `claim` and `renew` change the row only for one owner, so of several nodes one runs. A node that cannot renew in time
 * aborts its run before another may begin. On a store that no other node shares there is nothing to claim.
 */
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { keepLease } from "./keep-lease.ts";
import type { ControlStore } from "./store.ts";

export const LEASE_MS = 30_000;

export interface LeaseDeps {
  store: ControlStore;
  /** For waiting: setting the wall clock neither shortens nor extends a lease. */
  steady: Clock;
  leaseMs?: number;
}

/** Runs `work` unless another node does or did so within `restMs`. Resolves with whether it ran here. */
export type RunOnce = (
  name: string,
  options: { restMs: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<void>,
) => Promise<boolean>;

export function createRunOnce({ store, steady, leaseMs = LEASE_MS }: LeaseDeps): RunOnce {
  return async (name, { restMs, signal }, work) => {
    if (!store.backend.sharedBetweenNodes) {
      await work(signal);
      return true;
    }
    const owner = newId("lease");
    const longestMs = 2 * Math.max(leaseMs, restMs);
    if (!(await claimLease(store, name, { owner, nowMs: steady.nowMs(), leaseMs, longestMs }))) return false;
    const lost = new AbortController();
    const kept = keepLease({
      ...{ steady, leaseMs },
      renew: (untilMs) => moveLease(store, { name, owner }, untilMs),
      lose: () => lost.abort(new Error(`the lease of ${name} is lost`)),
    });
    try {
      await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      await kept.end();
      // A run that was cut by a stop is for another node, at once.
      await moveLease(store, { name, owner }, signal.aborted ? 0 : steady.nowMs() + restMs);
    }
    return true;
  };
}

interface Lease {
  name: string;
  owner: string;
}

/** True for the one caller that may begin. */
export async function claimLease(
  store: ControlStore,
  name: string,
  claim: { owner: string; nowMs: number; leaseMs: number; longestMs: number },
): Promise<boolean> {
  const { owner, nowMs } = claim;
  const row = { owner, until: nowMs + claim.leaseMs };
  return store.write(async (tx) => {
    const done = await tx
      .insertInto("leases")
      .values({ name, ...row })
      .onConflict((conflict) =>
        conflict
          .column("name")
          .doUpdateSet(row)
          // A time this far in the future was written before a clock was set back.
          .where((e) => e.or([e("leases.until", "<=", nowMs), e("leases.until", ">", nowMs + claim.longestMs)])),
      )
      .executeTakeFirst();
    return done.numInsertedOrUpdatedRows === 1n;
  });
}

/** False if the lease is another's. */
async function moveLease(store: ControlStore, { name, owner }: Lease, untilMs: number): Promise<boolean> {
  return store.write(async (tx) => {
    const done = await tx
      .updateTable("leases")
      .set({ until: untilMs })
      .where("name", "=", name)
      .where("owner", "=", owner)
      .executeTakeFirst();
    return done.numUpdatedRows === 1n;
  });
}

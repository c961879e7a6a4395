/**
 * Idempotency records. One row per workspace, project and key:
 *
 *   (none) --claim--> running --settle--> done --24 h--> (none)
 *                        |  \--release (4xx, 5xx)--> (none)
 *                        \--lease expired (crash)--> running, under the next claim
 *
 * `settle` runs in the transaction of the effect and only for the owner of the record. An effect and its stored answer
 * therefore exist together or not at all, and a request that lost its lease cannot commit.
 */
import { randomUUID } from "node:crypto";
import { LIMITS } from "../contract/limits.ts";
import { HOUR_MS } from "../lib/time.ts";
import type { ControlStore, Tx } from "./store.ts";

/**
 * Longer than any write (statements time out after 15 s), and well below the 60 s after which a key must work again.
 */
const KEY_LEASE_MS = 20_000;

export interface IdempotencyScope {
  workspaceId: string;
  projectId: string | null;
  key: string;
}

export interface StoredAnswer {
  status: number;
  contentType: string;
  body: string;
}

export type Claim =
  | { kind: "run"; owner: string }
  | { kind: "replay"; answer: StoredAnswer }
  | { kind: "in_progress" }
  | { kind: "other_request" };

export async function claimKey(
  store: ControlStore,
  scope: IdempotencyScope,
  fingerprint: string,
  nowMs: number,
  leaseMs = KEY_LEASE_MS,
): Promise<Claim> {
  const owner = randomUUID();
  const claim = {
    fingerprint,
    owner,
    lease_until: nowMs + leaseMs,
    status: null,
    content_type: null,
    body: null,
    expires_at: nowMs + LIMITS.idempotencyHours * HOUR_MS,
  };
  return store.write(async (tx) => {
    const inserted = await tx
      .insertInto("idempotency")
      .values({ ...rowOf(scope), ...claim })
      .onConflict((conflict) => conflict.columns(["workspace_id", "project_id", "key"]).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { kind: "run", owner };
    const row = await tx
      .selectFrom("idempotency")
      .where((e) => e.and(rowOf(scope)))
      .select(["fingerprint", "lease_until", "status", "content_type", "body", "expires_at"])
      .executeTakeFirst();
    const running = row?.status === null;
    // A lease this far in the future was written before a clock was set back.
    const dead = running && (row.lease_until <= nowMs || row.lease_until > nowMs + 2 * KEY_LEASE_MS);
    // A missing record was released meanwhile. A record whose lease or 24 h have expired may be claimed again.
    if (row && row.expires_at > nowMs && !dead) {
      if (row.fingerprint !== fingerprint) return { kind: "other_request" };
      if (row.status === null) return { kind: "in_progress" };
      const answer = { status: row.status, contentType: row.content_type ?? "", body: row.body ?? "" };
      return { kind: "replay", answer };
    }
    // The update names the record as it was read: if two requests see an expired lease, only one claims it.
    const taken = await tx
      .updateTable("idempotency")
      .set(claim)
      .where((e) => e.and(rowOf(scope)))
      .where("lease_until", "=", row?.lease_until ?? -1)
      .where("expires_at", "=", row?.expires_at ?? -1)
      .executeTakeFirst();
    return taken.numUpdatedRows === 1n ? { kind: "run", owner } : { kind: "in_progress" };
  });
}

/** False if the lease was lost: the caller must roll its effect back. */
export async function settleKey(
  tx: Tx,
  scope: IdempotencyScope,
  owner: string,
  answer: StoredAnswer,
): Promise<boolean> {
  const done = await tx
    .updateTable("idempotency")
    .set({ status: answer.status, content_type: answer.contentType, body: answer.body })
    .where((e) => e.and(rowOf(scope)))
    .where("owner", "=", owner)
    .where("status", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

/** Releases the key after a failure, so that a corrected or repeated request runs. */
export async function releaseKey(store: ControlStore, scope: IdempotencyScope, owner: string): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .deleteFrom("idempotency")
      .where((e) => e.and(rowOf(scope)))
      .where("owner", "=", owner)
      .where("status", "is", null)
      .execute();
  });
}

/**
 * For the start of a service that is the only user of its store: every running claim belongs to the previous, dead
 * process.
 */
export async function releaseAbandonedKeys(store: ControlStore): Promise<void> {
  if (store.backend.sharedBetweenNodes) return;
  await store.write(async (tx) => {
    await tx.deleteFrom("idempotency").where("status", "is", null).execute();
  });
}

/** Rows of one step: deleting 500,000 rows at once blocked the event loop for 945 ms on SQLite. */
const PURGE_ROWS = 1_000;

/** Deletes one step of expired records and returns their number; call it until it returns 0. */
export async function purgeIdempotencyRecords(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    const expired = tx
      .selectFrom("idempotency")
      .select(["workspace_id", "project_id", "key"])
      .where("expires_at", "<=", nowMs)
      .limit(PURGE_ROWS);
    const done = await tx
      .deleteFrom("idempotency")
      .where(({ eb, refTuple }) =>
        eb(refTuple("workspace_id", "project_id", "key"), "in", expired.$asTuple("workspace_id", "project_id", "key")),
      )
      .executeTakeFirst();
    return Number(done.numDeletedRows);
  });
}

function rowOf(scope: IdempotencyScope) {
  return { workspace_id: scope.workspaceId, project_id: scope.projectId ?? "", key: scope.key };
}

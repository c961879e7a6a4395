/**
 * Idempotency records. One row per workspace, project and key:
 *
 *   (none) --claim--> running --settle--> done --24 h--> (none)
 *                        |  \--release (4xx, 5xx)--> (none)
 *                        \--lease ran out (crash)--> running, by the next one who claims
 *
 * `settle` runs in the transaction of the effect itself and only for the owner of the row, so an effect and its stored
 * answer exist together or not at all, and a request that lost its lease cannot commit.
 */
import { randomUUID } from "node:crypto";
import { LIMITS } from "../contract/limits.ts";
import type { ControlStore, Tx } from "./store.ts";

/** Longer than any write may take (statements end after 15 s), and well within the 60 s after which a key must work again. */
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
    expires_at: nowMs + LIMITS.idempotencyHours * 3_600_000,
  };
  return store.write(async (tx) => {
    const inserted = await tx
      .insertInto("idempotency")
      .values({ ...rowOf(scope), ...claim })
      .onConflict((conflict) => conflict.columns(["workspace_id", "project_id", "key"]).doNothing())
      .executeTakeFirst();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { kind: "run", owner };
    const row = await selectRow(tx, scope)
      .select(["fingerprint", "lease_until", "status", "content_type", "body", "expires_at"])
      .executeTakeFirst();
    const running = row?.status === null;
    // A lease further ahead than leases are comes from a clock that was set back.
    const dead = running && (row.lease_until <= nowMs || row.lease_until > nowMs + 2 * KEY_LEASE_MS);
    // A row that vanished in between was released; one whose lease or day is over is free again.
    if (row && row.expires_at > nowMs && !dead) {
      if (row.fingerprint !== fingerprint) return { kind: "other_request" };
      if (row.status === null) return { kind: "in_progress" };
      const answer = { status: row.status, contentType: row.content_type ?? "", body: row.body ?? "" };
      return { kind: "replay", answer };
    }
    // Taking over names the row as it was seen, so that of two who see a dead lease only one wins.
    const taken = await tx
      .updateTable("idempotency")
      .set(claim)
      .where("workspace_id", "=", scope.workspaceId)
      .where("project_id", "=", scope.projectId ?? "")
      .where("key", "=", scope.key)
      .where("lease_until", "=", row?.lease_until ?? -1)
      .where("expires_at", "=", row?.expires_at ?? -1)
      .executeTakeFirst();
    return taken.numUpdatedRows === 1n ? { kind: "run", owner } : { kind: "in_progress" };
  });
}

/** False when the lease was lost meanwhile: the caller must roll its effect back. */
export async function settleKey(
  tx: Tx,
  scope: IdempotencyScope,
  owner: string,
  answer: StoredAnswer,
): Promise<boolean> {
  const done = await tx
    .updateTable("idempotency")
    .set({ status: answer.status, content_type: answer.contentType, body: answer.body })
    .where("workspace_id", "=", scope.workspaceId)
    .where("project_id", "=", scope.projectId ?? "")
    .where("key", "=", scope.key)
    .where("owner", "=", owner)
    .where("status", "is", null)
    .executeTakeFirst();
  return done.numUpdatedRows === 1n;
}

/** Gives the key back after a failure, so that a corrected or repeated request runs. */
export async function releaseKey(store: ControlStore, scope: IdempotencyScope, owner: string): Promise<void> {
  await store.write(async (tx) => {
    await tx
      .deleteFrom("idempotency")
      .where("workspace_id", "=", scope.workspaceId)
      .where("project_id", "=", scope.projectId ?? "")
      .where("key", "=", scope.key)
      .where("owner", "=", owner)
      .where("status", "is", null)
      .execute();
  });
}

/** For the start of a service that alone owns its store: whatever still runs there died with the process before. */
export async function releaseAbandonedKeys(store: ControlStore): Promise<void> {
  if (store.backend.sharedBetweenNodes) return;
  await store.write(async (tx) => {
    await tx.deleteFrom("idempotency").where("status", "is", null).execute();
  });
}

/** One step: deleting 500,000 rows at once blocked the event loop for 945 ms on SQLite. */
const PURGE_ROWS = 1_000;

/** Resolves with how many were deleted; call it again until that is none. */
export async function purgeExpiredKeys(store: ControlStore, nowMs: number): Promise<number> {
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

function selectRow(tx: Tx, scope: IdempotencyScope) {
  return tx
    .selectFrom("idempotency")
    .where("workspace_id", "=", scope.workspaceId)
    .where("project_id", "=", scope.projectId ?? "")
    .where("key", "=", scope.key);
}

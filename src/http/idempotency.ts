import { createHash, createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";
import {
  type Claim,
  claimKey,
  type IdempotencyScope,
  releaseKey,
  type StoredAnswer,
  settleKey,
} from "../control/idempotency.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";

export interface IdempotentRequest {
  workspaceId: string;
  projectId: string | null;
  /** The Idempotency-Key header as sent; undefined if absent. */
  key: string | undefined;
  method: string;
  /** Path and query as sent. */
  url: string;
  rawBody: Uint8Array;
  /** The id of the API key if the response is about the key: another key of the workspace must not receive it. */
  apiKeyId?: string | undefined;
  /** Of a request that has a secret, such as a password: nobody shall test guesses with a copy of the database. */
  fingerprintKey?: KeyObject | undefined;
}

export function createFingerprintKey(installationSecret: Buffer): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", installationSecret, "", "sextant fingerprints", 32)));
}

export type WriteResult = StoredAnswer & { replayed: boolean };

interface Deps {
  store: ControlStore;
  clock: Clock;
  log: WarnLog;
  /** How long a key stays claimed when its request dies. */
  leaseMs?: number | undefined;
}

/**
 * Runs one write. Without a key: only its transaction. With a key: claims it, runs the effect and stores its response
 * in one transaction, and releases the key if the effect fails. Every write route goes through here (see mount.ts).
 * `prepare` is work outside the store: it runs before the transaction, and not for a replay.
 */
export async function runWrite(
  deps: Deps,
  request: IdempotentRequest,
  effect: (tx: Tx) => Promise<StoredAnswer>,
  prepare?: () => Promise<void>,
): Promise<WriteResult> {
  if (request.key === undefined) {
    await prepare?.();
    return { ...(await deps.store.write(effect)), replayed: false };
  }
  return runClaimed(deps, request, request.key, async (scope, owner) => {
    await prepare?.();
    return deps.store.write((tx) => effectWithRecord(tx, scope, owner, effect));
  });
}

/**
 * The same for an effect outside the control store: events go to the log. The response is stored right after. A crash
 * in between leaves events without their record; the repeated request writes them again under the same message ids, so
 * they still count once.
 */
export async function runLogged(
  deps: Deps,
  request: IdempotentRequest,
  effect: () => Promise<StoredAnswer>,
): Promise<WriteResult> {
  if (request.key === undefined) return { ...(await effect()), replayed: false };
  return runClaimed(deps, request, request.key, async (scope, owner) => {
    const done = await effect();
    const settled = deps.store.write((tx) => settleKey(tx, scope, owner, done));
    await tolerate(settled, deps.log, "the events are on disk; a repeated request writes the same message ids");
    return done;
  });
}

async function runClaimed(
  deps: Deps,
  request: IdempotentRequest,
  key: string,
  effect: (scope: IdempotencyScope, owner: string) => Promise<StoredAnswer>,
): Promise<WriteResult> {
  const scope = { workspaceId: request.workspaceId, projectId: request.projectId, key: checkKey(key) };
  const claim = await claimKey(deps.store, scope, fingerprint(request), deps.clock.nowMs(), deps.leaseMs);
  const { owner, answer } = admit(claim, request);
  if (answer) return { ...answer, replayed: true };
  try {
    return { ...(await effect(scope, owner)), replayed: false };
  } catch (cause) {
    await tolerate(releaseKey(deps.store, scope, owner), deps.log, "an unreleased key is free when its lease expires");
    throw cause;
  }
}

function checkKey(key: string): string {
  if (key === "")
    throw new ApiError("INVALID_IDEMPOTENCY_KEY", "The Idempotency-Key header is empty", {
      param: "header.idempotency-key",
    });
  if (key.length > LIMITS.idempotencyKeyChars) {
    throw new ApiError(
      "INVALID_IDEMPOTENCY_KEY",
      `The Idempotency-Key is longer than ${LIMITS.idempotencyKeyChars} characters`,
      {
        param: "header.idempotency-key",
      },
    );
  }
  return key;
}

function admit(claim: Claim, request: IdempotentRequest): { owner: string; answer?: StoredAnswer } {
  switch (claim.kind) {
    case "run":
      return { owner: claim.owner };
    case "replay":
      return { owner: "", answer: claim.answer };
    case "in_progress":
      throw inProgress();
    case "other_request":
      throw new ApiError(
        "INVALID_IDEMPOTENCY_KEY",
        `This Idempotency-Key was used ${request.apiKeyId ? "by another API key, or " : ""}for another method, path, query or body`,
        {
          param: "header.idempotency-key",
        },
      );
  }
}

function inProgress(): ApiError {
  return new ApiError("IDEMPOTENCY_IN_PROGRESS", "A request with this Idempotency-Key is still running", {
    headers: { "Retry-After": "1" },
  });
}

async function effectWithRecord(
  tx: Tx,
  scope: IdempotencyScope,
  owner: string,
  effect: (tx: Tx) => Promise<StoredAnswer>,
): Promise<StoredAnswer> {
  const answer = await effect(tx);
  // Another request took over the key because this one outlived its lease. Roll back: the other one counts.
  if (!(await settleKey(tx, scope, owner, answer))) throw inProgress();
  return answer;
}

function fingerprint(request: IdempotentRequest): string {
  const { fingerprintKey } = request;
  const hash = fingerprintKey === undefined ? createHash("sha256") : createHmac("sha256", fingerprintKey);
  hash.update(`${request.method}\n${request.url}\n`);
  if (request.apiKeyId !== undefined) hash.update(`${request.apiKeyId}\n`);
  return hash.update(request.rawBody).digest("base64url");
}

import { ApiError } from "../contract/errors.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import { type Challenge, useChallenge } from "./challenges.ts";
import { isSessionAlive } from "./fresh-proof.ts";
import { lockUser } from "./users.ts";
import { getSignedIn, recordOwn, type Visit } from "./visit.ts";

/** Who began to add a way to sign in, and in which session. */
export interface Beginner {
  userId?: string;
  sessionId?: string;
}

interface Method<T> {
  action: "addPasskey" | "addWallet";
  /** How many a user may have. */
  most: number;
  list(tx: Tx): Promise<readonly unknown[]>;
  /** Undefined if it is known already. */
  create(tx: Tx): Promise<T | undefined>;
  details(made: T): Record<string, unknown>;
  /** The errors: its challenge is used or too old, the user has enough of them, it is known already. */
  errors: { notProven(): ApiError; enough(): ApiError; known: string };
}

/** Adds a way to sign in, once its proof is checked. The challenge is used up, also if two requests bring it at once. */
export async function addMethod<T extends { id: string }>(
  store: ControlStore,
  visit: Visit,
  challenge: Challenge<Beginner>,
  { action, most, list, create, details, errors }: Method<T>,
): Promise<T> {
  return store.write(async (tx) => {
    if (!(await useChallenge(tx, challenge))) throw errors.notProven();
    if (!(await isSessionAlive(tx, challenge.data, visit.nowMs))) throw errors.notProven();
    await lockUser(tx, getSignedIn(visit).user.id);
    if ((await list(tx)).length >= most) throw errors.enough();
    const made = await create(tx);
    if (made === undefined) throw new ApiError("CONFLICT", errors.known);
    await recordOwn(tx, visit, { action, target: made.id, details: details(made) });
    return made;
  });
}

import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { createSecretBox } from "../control/secret-box.ts";
import type { Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

/** Each purpose has its own: a challenge for one is none for another. */
export type ChallengePurpose = "passkey sign-in" | "passkey" | "wallet sign-in" | "wallet" | "form wallet" | "oidc";

export interface Challenge<T> {
  id: string;
  expiresAtMs: number;
  data: T;
}

/**
 * What a passkey, a wallet or a provider has to answer, sealed into a token that the browser brings back. Nothing is
 * stored for whoever only asks, and every node can read the tokens of the others.
 */
export interface Challenges {
  make<T>(purpose: ChallengePurpose, data: T, nowMs: number, lifeMs?: number): string;
  /** Undefined if we did not make it for this purpose, or if it has expired. */
  read<T>(purpose: ChallengePurpose, token: string, nowMs: number): Challenge<T> | undefined;
}

export function createChallenges(secret: Buffer): Challenges {
  const box = createSecretBox(secret, "sign-in challenges");
  return {
    make(purpose, data, nowMs, lifeMs = ACCOUNT_LIMITS.challengeMinutes * 60_000) {
      const expiresAtMs = nowMs + lifeMs;
      return box.seal(purpose, JSON.stringify({ id: newId("chl"), expiresAtMs, data }));
    },
    read<T>(purpose: ChallengePurpose, token: string, nowMs: number) {
      try {
        const challenge = JSON.parse(box.open(purpose, token)) as Challenge<T>;
        return challenge.expiresAtMs > nowMs ? challenge : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** False if it was used before: of two requests with one challenge, one succeeds. */
export async function useChallenge(tx: Tx, { id, expiresAtMs }: Challenge<unknown>): Promise<boolean> {
  const done = await tx
    .insertInto("used_challenges")
    .values({ id, expires_at: expiresAtMs })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return done.numInsertedOrUpdatedRows === 1n;
}

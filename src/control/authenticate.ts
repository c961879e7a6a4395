import { createSecretKey } from "node:crypto";
import { BoundedCache } from "../lib/bounded-cache.ts";
import type { Clock } from "../lib/clock.ts";
import { hashKey, isWellFormed } from "./key-text.ts";
import { type ApiKey, findApiKeyByHash } from "./keys.ts";
import type { Reader } from "./store.ts";

/** A revoked key stops working within a second on every node: half of that is the age a remembered key may have. */
const REMEMBER_MS = 500;
const REMEMBERED_KEYS = 10_000;

export type Authenticate = (text: string) => Promise<ApiKey | undefined>;

/** Turns the text of a key into the key, or undefined when it is malformed, unknown, revoked or expired. */
export function createAuthenticate(deps: { db: Reader; secret: Buffer; clock: Clock }): Authenticate {
  const secret = createSecretKey(deps.secret);
  const remembered = new BoundedCache<{ key: Promise<ApiKey | undefined>; atMs: number }>(REMEMBERED_KEYS);

  function look(hash: string): Promise<ApiKey | undefined> {
    const now = deps.clock.nowMs();
    const entry = remembered.find(hash);
    // A clock that jumped back must not keep an entry alive for longer.
    if (entry && now - entry.atMs < REMEMBER_MS && now >= entry.atMs) return entry.key;
    const key = findApiKeyByHash(deps.db, hash);
    remembered.put(hash, { key, atMs: now });
    // Only found keys are worth remembering: guesses must not push them out, and a store that was down must be asked again.
    const forget = () => {
      if (remembered.find(hash)?.key === key) remembered.delete(hash);
    };
    key.then((found) => found ?? forget(), forget);
    return key;
  }

  return async (text) => {
    if (!isWellFormed("api", text)) return undefined;
    const key = await look(hashKey(secret, text));
    if (key === undefined || key.revokedAtMs !== null) return undefined;
    if (key.expiresAtMs !== null && key.expiresAtMs <= deps.clock.nowMs()) return undefined;
    return key;
  };
}

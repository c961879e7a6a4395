import { createSecretKey } from "node:crypto";
import { BoundedCache } from "../lib/bounded-cache.ts";
import type { Clock } from "../lib/clock.ts";
import { type BiToken, findBiTokenByHash } from "./bi-tokens.ts";
import { hashKey, isWellFormed, type KeyKind } from "./key-text.ts";
import { type ApiKey, findApiKeyByHash, type Key } from "./keys.ts";
import type { Reader } from "./store.ts";

/** A revoked key must stop working within a second on every node. A cached key may be half of that old. */
const CACHE_MS = 500;
const CACHED_KEYS = 10_000;

export type Authenticate = (text: string) => Promise<ApiKey | undefined>;
export type AuthenticateBi = (text: string) => Promise<BiToken | undefined>;

interface Deps {
  db: Reader;
  secret: Buffer;
  clock: Clock;
}

/** Finds the API key with this text. Undefined if it is malformed, unknown, revoked or expired. */
export function createAuthenticate(deps: Deps): Authenticate {
  return createFinder(deps, "api", findApiKeyByHash);
}

/** As createAuthenticate, for BI tokens. */
export function createAuthenticateBi(deps: Deps): AuthenticateBi {
  return createFinder(deps, "bi", findBiTokenByHash);
}

function createFinder<K extends Key>(
  deps: Deps,
  kind: KeyKind,
  findByHash: (db: Reader, hash: string) => Promise<K | undefined>,
): (text: string) => Promise<K | undefined> {
  const secret = createSecretKey(deps.secret);
  const cached = new BoundedCache<{ key: Promise<K | undefined>; atMs: number }>(CACHED_KEYS);

  function findCached(hash: string): Promise<K | undefined> {
    const now = deps.clock.nowMs();
    const entry = cached.find(hash);
    // A clock that was set back must not extend the life of an entry.
    if (entry && now - entry.atMs < CACHE_MS && now >= entry.atMs) return entry.key;
    const key = findByHash(deps.db, hash);
    cached.put(hash, { key, atMs: now });
    // Only found keys stay cached: guesses must not evict them, and a failed read must be repeated.
    const forget = () => {
      if (cached.find(hash)?.key === key) cached.delete(hash);
    };
    key.then((found) => found ?? forget(), forget);
    return key;
  }

  return async (text) => {
    if (!isWellFormed(kind, text)) return undefined;
    const key = await findCached(hashKey(secret, text));
    if (key === undefined || key.revokedAtMs !== null) return undefined;
    if (key.expiresAtMs !== null && key.expiresAtMs <= deps.clock.nowMs()) return undefined;
    return key;
  };
}

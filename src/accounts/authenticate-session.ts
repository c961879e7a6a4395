import { createSecretKey } from "node:crypto";
import type { ControlStore, Reader } from "../control/store.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { listMemberships, type Membership } from "./members.ts";
import { findSessionByHash, hashSession, type Session, touchSession } from "./sessions.ts";
import { findUser, type User } from "./users.ts";

/** A session that was revoked, or a role that was taken, ends within a second on every node: see authenticate.ts. */
const CACHE_MS = 500;
const CACHED_SESSIONS = 10_000;
/** A write for each request would be thousands a minute; the list of sessions shows the last use to ten minutes. */
const TOUCH_MS = 10 * 60_000;

/** The user of a session, with what the user may do where. */
export interface SignedIn {
  session: Session;
  user: User;
  memberships: readonly Membership[];
}

export interface SessionAuth {
  /** Undefined if the text is malformed or unknown, or the session expired, or its user is disabled. */
  find(text: string): Promise<SignedIn | undefined>;
  /** Extends the session if that is due. True if it is: the cookie must then be sent again. */
  extend(signedIn: SignedIn, log: WarnLog): Promise<boolean>;
}

export function createSessionAuth(deps: { store: ControlStore; secret: Buffer; clock: Clock }): SessionAuth {
  const secret = createSecretKey(deps.secret);
  const cached = new BoundedCache<{ found: Promise<SignedIn | undefined>; atMs: number }>(CACHED_SESSIONS);

  function findCached(hash: string): Promise<SignedIn | undefined> {
    const now = deps.clock.nowMs();
    const entry = cached.find(hash);
    if (entry && now - entry.atMs < CACHE_MS && now >= entry.atMs) return entry.found;
    const found = readSignedIn(deps.store.read, hash);
    cached.put(hash, { found, atMs: now });
    // Only found sessions stay cached: guesses must not evict them, and a failed read must be repeated.
    const forget = () => {
      if (cached.find(hash)?.found === found) cached.delete(hash);
    };
    found.then((one) => one ?? forget(), forget);
    return found;
  }

  return {
    async find(text) {
      if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return undefined;
      const found = await findCached(hashSession(secret, text));
      if (found === undefined || found.user.disabledAtMs !== null) return undefined;
      return found.session.expiresAtMs <= deps.clock.nowMs() ? undefined : found;
    },
    async extend({ session }, log) {
      const now = deps.clock.nowMs();
      if (now - session.lastSeenAtMs < TOUCH_MS) return false;
      const touched = deps.store.write((tx) => touchSession(tx, session.userId, session.id, now));
      await tolerate(touched, log, "a later request extends the session");
      return true;
    },
  };
}

async function readSignedIn(db: Reader, hash: string): Promise<SignedIn | undefined> {
  const session = await findSessionByHash(db, hash);
  const user = session && (await findUser(db, session.userId));
  return session && user && { session, user, memberships: await listMemberships(db, user.id) };
}

import { type KeyObject, randomBytes } from "node:crypto";
import { ACCOUNT_LIMITS } from "../contract/account-limits.ts";
import { hashKey } from "../control/key-text.ts";
import type { ControlStore, Reader, Tx } from "../control/store.ts";
import { newId } from "../lib/ids.ts";

/** How somebody signed in. */
export type SignInMethod = "setup" | "password" | "passkey" | "wallet" | "oidc" | "invite" | "reset";

export interface Session {
  id: string;
  userId: string;
  method: string;
  /** As the browser sent it. The address of the client is not stored. */
  userAgent: string;
  createdAtMs: number;
  lastSeenAtMs: number;
  expiresAtMs: number;
}

const COLUMNS = ["id", "user_id", "method", "user_agent", "created_at", "last_seen_at", "expires_at"] as const;
const SESSION_MS = ACCOUNT_LIMITS.sessionDays * 86_400_000;
const SECRET_BYTES = 32;
const USER_AGENT_CHARS = 300;

/** Creates a session. The text goes into the cookie; only its keyed hash is stored. */
export async function createSession(
  tx: Tx,
  secret: Buffer,
  session: { userId: string; method: SignInMethod; userAgent: string },
  nowMs: number,
): Promise<{ text: string; id: string }> {
  await endOldest(tx, session.userId);
  const text = randomBytes(SECRET_BYTES).toString("base64url");
  const id = newId("ses");
  const row = {
    id,
    hash: hashSession(secret, text),
    user_id: session.userId,
    method: session.method,
    user_agent: session.userAgent.replaceAll(/\p{Cc}/gu, "").slice(0, USER_AGENT_CHARS),
    created_at: nowMs,
    last_seen_at: nowMs,
    expires_at: nowMs + SESSION_MS,
  };
  await tx.insertInto("sessions").values(row).execute();
  return { text, id };
}

/** Makes room for one more: nobody uses 50 browsers, and a script that signs in each time must not fill the table. */
async function endOldest(tx: Tx, userId: string): Promise<void> {
  const kept = tx
    .selectFrom("sessions")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("last_seen_at", "desc")
    .orderBy("id")
    .limit(ACCOUNT_LIMITS.sessionsPerUser - 1);
  await tx.deleteFrom("sessions").where("user_id", "=", userId).where("id", "not in", kept).execute();
}

/** Keys, sessions and links are hashed with one secret, so each has its own word before the text. */
export function hashSession(secret: Buffer | KeyObject, text: string): string {
  return hashKey(secret, `session ${text}`);
}

export async function findSessionByHash(db: Reader, hash: string): Promise<Session | undefined> {
  const row = await db.selectFrom("sessions").select(COLUMNS).where("hash", "=", hash).executeTakeFirst();
  return row && toSession(row);
}

export async function findSession(db: Reader, userId: string, sessionId: string): Promise<Session | undefined> {
  const row = await db
    .selectFrom("sessions")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row && toSession(row);
}

export async function listSessions(db: Reader, userId: string, nowMs: number): Promise<Session[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(COLUMNS)
    .where("user_id", "=", userId)
    .where("expires_at", ">", nowMs)
    .orderBy("last_seen_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map(toSession);
}

/** Use extends a session. */
export async function touchSession(tx: Tx, userId: string, sessionId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("sessions")
    .set({ last_seen_at: nowMs, expires_at: nowMs + SESSION_MS })
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .where("last_seen_at", "<", nowMs)
    .execute();
}

export async function endSession(tx: Tx, userId: string, sessionId: string): Promise<boolean> {
  const done = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return done.numDeletedRows === 1n;
}

/** Ends all sessions of a user but one. Returns their number. */
export async function endSessions(tx: Tx, userId: string, exceptId?: string): Promise<number> {
  const done = await tx
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id", "!=", exceptId ?? "")
    .executeTakeFirst();
  return Number(done.numDeletedRows);
}

const PURGE_ROWS = 1_000;

/** Deletes one step of expired sessions, links and used challenges, and returns their number. */
export async function purgeSessions(store: ControlStore, nowMs: number): Promise<number> {
  return store.write(async (tx) => {
    let removed = 0;
    for (const table of ["sessions", "one_time_links", "used_challenges"] as const) {
      const expired = tx.selectFrom(table).select("id").where("expires_at", "<=", nowMs).limit(PURGE_ROWS);
      const done = await tx.deleteFrom(table).where("id", "in", expired).executeTakeFirst();
      removed += Number(done.numDeletedRows);
    }
    return removed;
  });
}

function toSession(row: {
  id: string;
  user_id: string;
  method: string;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  expires_at: number;
}): Session {
  return {
    id: row.id,
    userId: row.user_id,
    method: row.method,
    userAgent: row.user_agent,
    createdAtMs: row.created_at,
    lastSeenAtMs: row.last_seen_at,
    expiresAtMs: row.expires_at,
  };
}

import { setTimeout as delay } from "node:timers/promises";
import { BoundedCache } from "../lib/bounded-cache.ts";
import type { Clock } from "../lib/clock.ts";
import { tolerate, type WarnLog } from "../lib/tolerate.ts";
import { hashKey, isWellFormed } from "./key-text.ts";
import type { Reader } from "./store.ts";

/** The project that a write key sends events to. */
export interface Sender {
  workspaceId: string;
  projectId: string;
  expiresAtMs: number | null;
}

export interface WriteKeyRing {
  /** Reads memory only. Undefined if the key is malformed, unknown, revoked or expired. */
  find(text: string): Sender | undefined;
  /** Reads the store now; for a key that this process has just created. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** A new or revoked key takes effect within a second on every node; polling uses less than half of that. */
const POLL_EVERY_MS = 400;
/** Cached key texts, which save an HMAC (3 us) on the hot path: at most this many. */
const CACHED_TEXTS = 10_000;

/**
 * All write keys in memory: the events server queries no store for an event. While the store is unavailable the last
 * known keys stay valid: accepting events matters more than noticing a revocation in that time.
 */
export async function openWriteKeyRing(deps: {
  db: Reader;
  secret: Buffer;
  clock: Clock;
  log: WarnLog;
}): Promise<WriteKeyRing> {
  let byHash = new Map<string, Sender>();
  let byText = new BoundedCache<Sender>(CACHED_TEXTS);
  let revision = "";
  const stop = new AbortController();

  async function refresh(): Promise<void> {
    const now = await readRevision(deps.db);
    if (now === revision) return;
    byHash = await readSenders(deps.db);
    byText = new BoundedCache(CACHED_TEXTS);
    revision = now;
  }

  async function follow(): Promise<void> {
    while (!stop.signal.aborted) {
      await delay(POLL_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) await tolerate(refresh(), deps.log, "the cached keys stay valid until the next read");
    }
  }

  await refresh();
  const following = follow();
  return {
    refresh,
    find(text) {
      let sender = byText.find(text);
      if (sender === undefined) {
        if (!isWellFormed("write", text)) return undefined;
        sender = byHash.get(hashKey(deps.secret, text));
        if (sender === undefined) return undefined;
        byText.put(text, sender);
      }
      return sender.expiresAtMs !== null && sender.expiresAtMs <= deps.clock.nowMs() ? undefined : sender;
    },
    async close() {
      stop.abort();
      await following;
    },
  };
}

/** Changes when a key is created or revoked. Keys are never deleted, and nothing else about them changes. */
async function readRevision(db: Reader): Promise<string> {
  const { count } = db.fn;
  const row = await db
    .selectFrom("write_keys")
    .select([count("id").as("made"), count("revoked_at").as("revoked")])
    .executeTakeFirstOrThrow();
  return `${row.made} ${row.revoked}`;
}

async function readSenders(db: Reader): Promise<Map<string, Sender>> {
  const rows = await db
    .selectFrom("write_keys")
    .select(["hash", "workspace_id", "project_id", "expires_at"])
    .where("revoked_at", "is", null)
    .execute();
  return new Map(
    rows.map((row) => [
      row.hash,
      { workspaceId: row.workspace_id, projectId: row.project_id, expiresAtMs: row.expires_at },
    ]),
  );
}

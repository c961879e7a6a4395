/**
 * One process imports a file at a time: two would save their cursors over each other, and the file of refused rows would
 * be one process's or the other's. The lease is renewed every 5 s. After `kill -9` the next start goes on at once if it
 * can see that the process is gone, on the same machine where its number is free, and otherwise after the 15 s of the
 * lease. A lease that it sees renewed is somebody's.
 */
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { keepLease } from "../control/keep-lease.ts";
import type { ControlStore, Tx } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { createSteadyClock } from "../lib/steady-clock.ts";
import { ImportError } from "./import-error.ts";
import type { Claim, HeldImport } from "./import-lease.ts";
import {
  type Cursor,
  failImport,
  type Import,
  moveImportLease,
  type NewImport,
  saveImport,
  startImport,
} from "./imports-table.ts";

/** This process: in a container that was started again the next one has the same host, and often the same number. */
const PROCESS = newId("process");

const LEASE_MS = 15_000;
const LOOK_EVERY_MS = 500;

export interface ClaimDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface StartDeps extends ClaimDeps {
  /** In the transaction that takes the lease: where it rejects, all is as it was. */
  readonly onClaim?: ((tx: Tx, importId: string) => Promise<void>) | undefined;
}

export interface ClaimedImport {
  readonly id: string;
  readonly begin: Cursor;
  /** Aborts with the signal of the caller, and when the lease is lost. */
  readonly signal: AbortSignal;
  save(cursor: Cursor, isEnd: boolean): Promise<void>;
  /** The file was refused: the list of imports says why. */
  fail(message: string): Promise<void>;
  /** Another process may begin. */
  end(): Promise<void>;
}

const TAKEN = "another process has gone on with the import, or the project was deleted";

export async function claimImport(workspaceId: string, made: NewImport, deps: StartDeps): Promise<ClaimedImport> {
  const { store, clock, onClaim } = deps;
  const start = async (tx: Tx, claim: Claim) => {
    const started = await startImport(tx, workspaceId, made, claim);
    if (!isTaken(started)) await onClaim?.(tx, started.id);
    return started;
  };
  const { found, owner, steady } = await takeLease(start, deps);
  const { id, cursor: begin } = found;
  const held = holdLease(id, { owner, steady }, deps);
  return {
    id,
    begin,
    signal: held.signal,
    async save(cursor, isEnd) {
      const untilMs = steady.nowMs() + LEASE_MS;
      const isHeld = await saveImport(store, id, cursor, { nowMs: clock.nowMs(), owner, untilMs, isEnd });
      if (!isEnd) held.renewed(untilMs, isHeld);
      if (!isHeld) throw new ImportError(TAKEN);
    },
    fail: (message) => failImport(store, id, { owner, message, nowMs: clock.nowMs() }),
    end: held.end,
  };
}

interface Holder {
  readonly owner: string;
  readonly steady: Clock;
}

/** Keeps the lease of an import until its end. */
export function holdLease(importId: string, { owner, steady }: Holder, { store, signal }: ClaimDeps) {
  const lost = new AbortController();
  const kept = keepLease({
    ...{ steady, leaseMs: LEASE_MS },
    renew: (untilMs) => moveImportLease(store, importId, owner, untilMs),
    lose: () => lost.abort(new ImportError(TAKEN)),
  });
  return {
    /** Aborts with the signal of the caller, and when the lease is lost. */
    signal: AbortSignal.any([signal, lost.signal]),
    renewed: kept.renewed,
    /** Renews it no more; it ends by itself. */
    leave: kept.end,
    async end(): Promise<void> {
      await kept.end();
      await moveImportLease(store, importId, owner, null);
    },
  };
}

/** Waits for a lease that nobody renews, and throws when its holder lives. */
export async function takeLease<T extends Import | undefined>(
  take: (tx: Tx, claim: Claim) => Promise<T | HeldImport>,
  { store, clock, signal }: ClaimDeps,
): Promise<Holder & { found: T }> {
  const steady = createSteadyClock(clock);
  const owner = `${hostname()}/${process.pid}/${PROCESS}/${newId("lease")}`;
  let seen: HeldImport | undefined;
  let instead: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const nowMs = steady.nowMs();
    const claim = { nowMs, owner, untilMs: nowMs + LEASE_MS, instead };
    const found = await store.write((tx) => take(tx, claim));
    if (!isTaken(found)) return { found, owner, steady };
    const isDead = isGoneHere(found.owner);
    const isRenewed = seen !== undefined && found.owner === seen.owner && found.untilMs !== seen.untilMs;
    if (isDead === false || isRenewed)
      throw new ImportError(
        `${found.fileName} is being imported into the project by another process; \`sextant import list\` shows how far it is`,
      );
    seen = found;
    instead = isDead ? found.owner : undefined;
    if (!isDead) await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

function isTaken<T extends Import | undefined>(found: T | HeldImport): found is HeldImport {
  return found !== undefined && "untilMs" in found;
}

/**
 * Whether a process of this machine is gone; undefined for one of another machine, and for one whose number is in use: it
 * may be another's by now, as in a container that was started again. Whether it renews its lease decides then.
 */
function isGoneHere(owner: string): boolean | undefined {
  const [host, pid, of] = owner.split("/");
  if (host !== hostname()) return undefined;
  if (of === PROCESS) return false;
  try {
    process.kill(Number(pid), 0);
    return undefined;
  } catch (cause) {
    // Others say that there is one of another user, or that this is no number.
    return (cause as NodeJS.ErrnoException).code === "ESRCH" ? true : undefined;
  }
}

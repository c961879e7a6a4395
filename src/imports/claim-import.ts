/**
 * One process imports a file at a time: two would save their cursors over each other, and the file of refused rows would
 * be one process's or the other's. The lease is renewed every 5 s. After `kill -9` the next start goes on at once if it
 * can see that the process is gone, which it can on the same machine, and otherwise after the 15 s of the lease.
 */
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { keepLease } from "../control/keep-lease.ts";
import type { ControlStore } from "../control/store.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { createSteadyClock } from "../lib/steady-clock.ts";
import { ImportError } from "./import-error.ts";
import { type Cursor, type Import, moveImportLease, type NewImport, saveImport, startImport } from "./imports-table.ts";

const LEASE_MS = 15_000;
const LOOK_EVERY_MS = 500;

export interface ClaimDeps {
  readonly store: ControlStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ClaimedImport {
  readonly id: string;
  readonly begin: Cursor;
  /** Aborts with the signal of the caller, and when the lease is lost. */
  readonly signal: AbortSignal;
  save(cursor: Cursor, isEnd: boolean): Promise<void>;
  /** Another process may begin. */
  end(): Promise<void>;
}

const TAKEN = "another process has gone on with the import, or the project was deleted";

export async function claimImport(workspaceId: string, made: NewImport, deps: ClaimDeps): Promise<ClaimedImport> {
  const { store, clock } = deps;
  const steady = createSteadyClock(clock);
  const owner = `${hostname()}/${process.pid}/${newId("lease")}`;
  const { id, cursor: begin } = await waitForTurn(workspaceId, made, { ...deps, steady, owner });
  const lost = new AbortController();
  const kept = keepLease({
    ...{ steady, leaseMs: LEASE_MS },
    renew: (untilMs) => moveImportLease(store, id, owner, untilMs),
    lose: () => lost.abort(new ImportError(TAKEN)),
  });
  return {
    id,
    begin,
    signal: AbortSignal.any([deps.signal, lost.signal]),
    async save(cursor, isEnd) {
      const untilMs = steady.nowMs() + LEASE_MS;
      const isHeld = await saveImport(store, id, cursor, { nowMs: clock.nowMs(), owner, untilMs, isEnd });
      if (!isEnd) kept.renewed(untilMs, isHeld);
      if (!isHeld) throw new ImportError(TAKEN);
    },
    async end() {
      await kept.end();
      await moveImportLease(store, id, owner, null);
    },
  };
}

/** Waits for a lease that nobody renews, and throws when its holder lives. */
async function waitForTurn(
  workspaceId: string,
  made: NewImport,
  { store, steady, owner, signal }: ClaimDeps & { steady: Clock; owner: string },
): Promise<Import> {
  let seenUntilMs: number | undefined;
  let instead: string | undefined;
  for (;;) {
    const nowMs = steady.nowMs();
    const claim = { nowMs, owner, untilMs: nowMs + LEASE_MS, instead };
    const found = await store.write((tx) => startImport(tx, workspaceId, made, claim));
    if ("cursor" in found) return found;
    const isDead = isGoneHere(found.owner);
    if (isDead === false || (seenUntilMs !== undefined && found.untilMs !== seenUntilMs))
      throw new ImportError(
        `${made.fileName} is being imported into the project by another process; \`sextant import list\` shows how far it is`,
      );
    seenUntilMs = found.untilMs;
    instead = isDead ? found.owner : undefined;
    if (!isDead) await delay(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Whether a process of this machine is gone; undefined for one of another machine. */
function isGoneHere(owner: string): boolean | undefined {
  const [host, pid] = owner.split("/");
  if (host !== hostname()) return undefined;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (cause) {
    // A process of another user is alive.
    return (cause as NodeJS.ErrnoException).code !== "EPERM";
  }
}

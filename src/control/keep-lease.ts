/** Keeps a lease while its holder works. */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";

export interface HeldLease {
  readonly leaseMs: number;
  /** For waiting: setting the wall clock neither shortens nor extends a lease. */
  readonly steady: Clock;
  /** Resolves with false if the lease is another's. */
  renew(untilMs: number): Promise<boolean>;
  /** Called once, when the lease is another's or is about to be. */
  lose(): void;
}

export interface KeptLease {
  /** A change of the holder has renewed it, or found that it is another's. */
  renewed(untilMs: number, isHeld: boolean): void;
  end(): Promise<void>;
}

/**
 * Renews a lease every third of its time. A store that does not answer may do so later: the holder loses its lease only
 * when a third is left, by a timer, whatever the store does. Another may begin a third later.
 */
export function keepLease({ leaseMs, steady, renew, lose }: HeldLease): KeptLease {
  const ended = new AbortController();
  const thirdMs = leaseMs / 3;
  let deadline: NodeJS.Timeout | undefined;

  function stop(): void {
    clearTimeout(deadline);
    ended.abort();
  }
  function lost(): void {
    if (ended.signal.aborted) return;
    stop();
    lose();
  }
  function holdUntil(untilMs: number): void {
    clearTimeout(deadline);
    if (!ended.signal.aborted) deadline = setTimeout(lost, Math.max(0, untilMs - thirdMs - steady.nowMs()));
  }
  function renewed(untilMs: number, isHeld: boolean): void {
    if (isHeld) holdUntil(untilMs);
    else lost();
  }

  holdUntil(steady.nowMs() + leaseMs);
  const renewing = (async () => {
    while (!ended.signal.aborted) {
      await delay(thirdMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (ended.signal.aborted) return;
      const untilMs = steady.nowMs() + leaseMs;
      await renew(untilMs).then(
        (isHeld) => renewed(untilMs, isHeld),
        () => undefined,
      );
    }
  })();
  return {
    renewed,
    async end() {
      stop();
      await renewing;
    },
  };
}

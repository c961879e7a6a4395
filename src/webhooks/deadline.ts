/** Why we ended an attempt. */
export type EndReason = "timeout" | "stopped";

/** Far more than the longest block of the event loop (46 ms), and less than what is left of a lease after an attempt. */
const FROZEN_MS = 2_000;

class Ended extends Error {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(reason);
    this.name = "Ended";
    this.reason = reason;
  }
}

export interface Deadline {
  signal: AbortSignal;
  /** Undefined while the work may still run. */
  endReason(): EndReason | undefined;
  /** The timer rang long after its time: this process was frozen, and others may not be to blame. */
  wasFrozen(): boolean;
  /** Must be called when the work is over: it clears the timer and removes the listeners. */
  end(): void;
}

/**
 * One time limit over several steps, also ended by any of `stops`. Hand-written because the timer of
 * `AbortSignal.timeout` cannot be cleared: 1,000 attempts a second would leave 15,000 timers.
 */
export function startDeadline(ms: number, stops: readonly (AbortSignal | undefined)[] = []): Deadline {
  const controller = new AbortController();
  const startedMs = performance.now();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = performance.now() - startedMs > ms + FROZEN_MS;
    controller.abort(new Ended("timeout"));
  }, ms);
  const stop = () => controller.abort(new Ended("stopped"));
  for (const signal of stops) {
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop);
  }
  return {
    signal: controller.signal,
    wasFrozen: () => isLate,
    endReason: () => (controller.signal.reason as Ended | undefined)?.reason,
    end() {
      clearTimeout(timer);
      for (const signal of stops) signal?.removeEventListener("abort", stop);
    },
  };
}

/** The work's result, or the signal's reason if that comes first. The work is not cancelled: a DNS lookup cannot be. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject);
  });
}

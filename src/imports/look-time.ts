export interface LookLimits {
  readonly mostMs: number;
  readonly firstMs: number;
}

export interface LookTime {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Something of the file has come. */
  came(): void;
  end(): void;
}

/** Nothing of the file has come, which says nothing about it. */
export class NotInTime extends Error {
  override readonly name = "NotInTime";
}

/**
 * For how long somebody waits for a look at a file: `mostMs` if something of it has come by then, and at most `firstMs`
 * for the first of it. A process that reads it starts in 0.3 s, beside much other work in more than 5 s.
 */
export function startLookTime({ mostMs, firstMs }: LookLimits): LookTime {
  const over = new AbortController();
  let [hasCome, isLate] = [false, false];
  const check = () => {
    if (hasCome && isLate) over.abort();
  };
  const late = setTimeout(() => {
    isLate = true;
    check();
  }, mostMs);
  const last = setTimeout(() => over.abort(), firstMs);
  return {
    signal: over.signal,
    came() {
      hasCome = true;
      check();
    },
    end() {
      clearTimeout(late);
      clearTimeout(last);
    },
  };
}

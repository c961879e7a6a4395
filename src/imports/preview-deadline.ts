export interface PreviewLimits {
  readonly mostMs: number;
  readonly firstMs: number;
}

export interface PreviewDeadline {
  /** Aborted at the deadline. */
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
 * When the preview of a file ends: after `mostMs` if something of the file has come by then, else with the first of it, at
 * the latest after `firstMs`. A process that reads it starts in 0.3 s, beside much other work in more than 5 s.
 */
export function startPreviewDeadline({ mostMs, firstMs }: PreviewLimits): PreviewDeadline {
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

/**
 * The one way to ignore a failure: the caller gives the reason why that is right, and the cause still goes to the log.
 */
export interface WarnLog {
  warn(fields: object, message: string): void;
}

/** For commands, which report through their output and exit code. */
export const QUIET = { info: () => undefined, warn: () => undefined } as const;

export async function tolerate<T>(work: Promise<T>, log: WarnLog, why: string): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    log.warn({ err: cause }, `tolerated: ${why}`);
    return undefined;
  }
}

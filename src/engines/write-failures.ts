/** Records whether the last write failed because the store is unavailable for writes. */
export interface WriteFailures {
  last(): unknown;
  watch<T>(work: Promise<T>): Promise<T>;
}

export function createWriteFailures(isUnavailable: (cause: unknown) => boolean): WriteFailures {
  let failure: unknown;
  return {
    last: () => failure,
    async watch(work) {
      try {
        const done = await work;
        failure = undefined;
        return done;
      } catch (cause) {
        if (isUnavailable(cause)) failure = cause;
        throw cause;
      }
    },
  };
}

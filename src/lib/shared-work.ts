import { unlessAborted } from "./timeout.ts";

/** Work that several callers wait for. Who leaves does not end it for the others; when all have left it ends. */
export interface SharedWork<T> {
  /** Rejects with the reason of the caller's signal if that is first. */
  wait(signal: AbortSignal | undefined): Promise<T>;
}

/** `onOver` is called once, when nobody can join any more: the work is done, has failed, or was left by all. */
export function shareWork<T>(run: (signal: AbortSignal) => Promise<T>, onOver: () => void): SharedWork<T> {
  const left = new AbortController();
  let waiting = 0;
  let isOver = false;
  const end = () => {
    if (!isOver) onOver();
    isOver = true;
  };
  const work = run(left.signal);
  work.then(end, end);
  return {
    async wait(signal) {
      waiting += 1;
      try {
        return await unlessAborted(signal, work);
      } finally {
        waiting -= 1;
        if (waiting === 0 && !isOver) {
          end();
          left.abort();
        }
      }
    },
  };
}

/** Lets a loop sleep until somebody has something for it, or for a time at most. A call that comes before the sleep counts. */
export interface Waker {
  wake(): void;
  /** Forgets calls so far: what they announced is about to be looked at. */
  clear(): void;
  wait(atMostMs: number): Promise<void>;
}

export function createWaker(): Waker {
  let called = false;
  let rouse: (() => void) | undefined;
  return {
    wake() {
      called = true;
      rouse?.();
    },
    clear() {
      called = false;
    },
    async wait(atMostMs) {
      if (called || atMostMs <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, atMostMs);
        rouse = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      rouse = undefined;
    },
  };
}

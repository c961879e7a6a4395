/** Lets a loop sleep until it is woken or the time is over. A call before the sleep counts. */
export interface Waker {
  wake(): void;
  /** Forgets earlier calls: the loop is about to process what they announced. */
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

import { EngineException } from "./exceptions.ts";

/** A bounded number of runs and a bounded queue before them, first come first served. */
export interface Slots {
  /** Resolves with the slot's number when it is free; throws 202 when the queue is full, or the signal's reason. */
  take(signal: AbortSignal): Promise<number>;
  give(slot: number): void;
  running(): number;
}

export function createSlots(size: number, waiting: number): Slots {
  const free = Array.from({ length: size }, (_, slot) => size - 1 - slot);
  const queue = new Set<(slot: number) => void>();

  return {
    async take(signal) {
      signal.throwIfAborted();
      const slot = free.pop();
      if (slot !== undefined) return slot;
      if (queue.size >= waiting) {
        throw new EngineException(
          202,
          "TOO_MANY_SIMULTANEOUS_QUERIES",
          `Too many simultaneous queries. Maximum: ${size} running and ${waiting} waiting.`,
        );
      }
      return new Promise<number>((resolve, reject) => {
        const leave = (): void => {
          queue.delete(enter);
          reject(signal.reason);
        };
        const enter = (given: number): void => {
          signal.removeEventListener("abort", leave);
          resolve(given);
        };
        queue.add(enter);
        signal.addEventListener("abort", leave, { once: true });
      });
    },
    give(slot) {
      const next = queue.values().next();
      if (next.done === true) {
        free.push(slot);
      } else {
        queue.delete(next.value);
        next.value(slot);
      }
    },
    running: () => size - free.length,
  };
}

import { randomBytes } from "node:crypto";
import { type KeySeed, seedOf } from "./message-key.ts";

/**
 * Message ids that this process saw recently, so that `?detail=true` can report known duplicates. This is only a hint:
 * the warehouse decides what counts once. Ids are kept as the 64 bits of their keys in two generations of 50,000: 2 MB
 * whatever the ids are, and no work for the garbage collector. As texts in a Set they took 10 to 30 MB and 0.8 us an
 * event, all moved from the young generation to the old. Written by hand: a Set stores only 32 bits of a number
 * unboxed.
 */
export interface RecentIds {
  /** The seed of the keys of a project's events, for this process. */
  seedOf(projectId: string): KeySeed;
  /** True if the key was seen before. The same id on another day has another key, and is another event. */
  seen(low: number, high: number): boolean;
}

const GENERATION = 50_000;

export function createRecentIds(size = GENERATION): RecentIds {
  const random = randomBytes(8);
  const processSeed = { low: random.readInt32LE(0), high: random.readInt32LE(4) };
  let last = { projectId: "", seed: processSeed };
  let young = createTable(size);
  let old = createTable(size);
  return {
    seedOf(projectId) {
      if (last.projectId !== projectId) last = { projectId, seed: seedOf(projectId, processSeed) };
      return last.seed;
    },
    seen(low, high) {
      if (young.has(low, high)) return true;
      const known = old.has(low, high);
      if (young.add(low, high) >= size) {
        old.clear();
        [young, old] = [old, young];
      }
      return known;
    },
  };
}

/** Open addressing over a table that is never more than half full. The second number of a used cell is not 0. */
function createTable(size: number) {
  const slots = 2 ** Math.ceil(Math.log2(size * 2));
  const cells = new Int32Array(slots * 2);
  let used = 0;

  /** The index of the pair, or the free cell for it. */
  function find(low: number, high: number): number {
    let at = low & (slots - 1);
    while (cells[at * 2 + 1] !== 0 && !(cells[at * 2] === low && cells[at * 2 + 1] === high))
      at = (at + 1) & (slots - 1);
    return at * 2;
  }

  return {
    has: (low: number, high: number) => cells[find(low, high) + 1] !== 0,
    /** Returns the number of entries. */
    add(low: number, high: number): number {
      const at = find(low, high);
      cells[at] = low;
      cells[at + 1] = high;
      used += 1;
      return used;
    },
    clear(): void {
      cells.fill(0);
      used = 0;
    },
  };
}

import { randomBytes } from "node:crypto";

/**
 * Message ids that this process saw recently, so that `?detail=true` can report known duplicates. This is only a hint:
 * the warehouse decides what counts once. Ids are kept as 64 bits of a keyed hash in two generations of 50,000: 2 MB
 * whatever the ids are, and no work for the garbage collector. As texts in a Set they took 10 to 30 MB and 0.8 us an
 * event, all moved from the young generation to the old. Written by hand: a Set stores only 32 bits of a number
 * unboxed.
 */
export interface RecentIds {
  /** True if the id was seen on that day of the client's own time: the same id on another day is another event. */
  seen(projectId: string, messageId: string, day: number): boolean;
}

const GENERATION = 50_000;

export function createRecentIds(size = GENERATION): RecentIds {
  const key = randomBytes(8);
  const [lowKey, highKey] = [key.readUInt32LE(0), key.readUInt32LE(4)];
  let young = createTable(size);
  let old = createTable(size);
  return {
    seen(projectId, messageId, day) {
      // Spread over all bits: a small number in the lowest bits would cancel a difference in the next letter.
      const spread = Math.imul(day, 0x9e3779b1);
      const low = hash(messageId, hash(projectId, lowKey ^ spread, 0x01000193), 0x01000193);
      // Marks a used cell: zero means empty.
      const high = hash(messageId, hash(projectId, highKey ^ spread, 0x85ebca6b), 0x85ebca6b) | 1;
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

/** Open addressing over a table that is never more than half full. */
function createTable(size: number) {
  const slots = 2 ** Math.ceil(Math.log2(size * 2));
  const cells = new Uint32Array(slots * 2);
  let used = 0;

  /** The index of the pair, or the free cell for it. */
  function find(low: number, high: number): number {
    let at = low & (slots - 1);
    while (cells[at * 2 + 1] !== 0 && !(cells[at * 2] === low >>> 0 && cells[at * 2 + 1] === high >>> 0))
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

function hash(text: string, seed: number, prime: number): number {
  let mixed = seed | 0;
  for (let i = 0; i < text.length; i += 1) mixed = Math.imul(mixed ^ text.charCodeAt(i), prime) ^ (mixed >>> 15);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}

import { randomBytes } from "node:crypto";

/**
 * Message ids seen lately by this process, so that `?detail=true` can name a duplicate where it is already known. Only a hint:
 * what is counted once is decided by the warehouse. Kept as 64 bits of a keyed hash in two generations of 50,000: 2 MB whatever the
 * ids are, and nothing for the garbage collector. As texts in a Set they took 10 to 30 MB and 0.8 us an event, all of it moved from
 * the young generation to the old. Written by hand: a Set of numbers holds 32 bits of them unboxed.
 */
export interface RecentIds {
  /** True when the id was there already on that day of the client's own time: the same id on another day is another event. */
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
      // Spread over all bits: a small number in the lowest would undo a difference of the next letter.
      const spread = Math.imul(day, 0x9e3779b1);
      const low = hash(messageId, hash(projectId, lowKey ^ spread, 0x01000193), 0x01000193);
      // The mark of a taken cell: zero would be an empty one.
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

  /** Where the pair is, or where it would be put. */
  function find(low: number, high: number): number {
    let at = low & (slots - 1);
    while (cells[at * 2 + 1] !== 0 && !(cells[at * 2] === low >>> 0 && cells[at * 2 + 1] === high >>> 0))
      at = (at + 1) & (slots - 1);
    return at * 2;
  }

  return {
    has: (low: number, high: number) => cells[find(low, high) + 1] !== 0,
    /** Returns how many there are. */
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

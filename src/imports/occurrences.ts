/**
 * How often a row was seen in a file before. Rows of a file that are equal to the last letter are different events, and
 * the same row of two files is one event: so the number of the occurrence within its file belongs to its key.
 *
 * Written by hand: an open table of 12 bytes a slot takes 200 MB at its largest, with 12 million different rows. A Map of
 * as many takes more than 1 GB.
 */
const LARGEST_SLOTS = 2 ** 24;
const LOAD = 0.75;

export interface Occurrences {
  /** 0 for the first of its kind; undefined when the table is full and the row is new. */
  next(hash: Buffer): number | undefined;
}

interface Slots {
  readonly size: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** How often it was seen; 0 is an empty slot. */
  readonly seen: Uint32Array;
}

export function createOccurrences(largestSlots = LARGEST_SLOTS): Occurrences {
  let slots = makeSlots(Math.min(1024, largestSlots));
  let used = 0;

  function grow(): void {
    const larger = makeSlots(slots.size * 2);
    for (let at = 0; at < slots.size; at += 1) {
      const seen = slots.seen[at] ?? 0;
      if (seen === 0) continue;
      const [high, low] = [slots.high[at] ?? 0, slots.low[at] ?? 0];
      const to = findSlot(larger, high, low);
      larger.high[to] = high;
      larger.low[to] = low;
      larger.seen[to] = seen;
    }
    slots = larger;
  }

  return {
    next(hash) {
      const [high, low] = [hash.readUInt32LE(0), hash.readUInt32LE(4)];
      let at = findSlot(slots, high, low);
      const before = slots.seen[at] ?? 0;
      if (before === 0) {
        if (used + 1 > slots.size * LOAD) {
          if (slots.size >= largestSlots) return undefined;
          grow();
          at = findSlot(slots, high, low);
        }
        slots.high[at] = high;
        slots.low[at] = low;
        used += 1;
      }
      slots.seen[at] = before + 1;
      return before;
    },
  };
}

function makeSlots(size: number): Slots {
  return { size, high: new Uint32Array(size), low: new Uint32Array(size), seen: new Uint32Array(size) };
}

/** The slot that holds the hash, or the empty one where it belongs. The size is a power of two. */
function findSlot({ size, high, low, seen }: Slots, wantedHigh: number, wantedLow: number): number {
  const mask = size - 1;
  let at = wantedLow & mask;
  while ((seen[at] ?? 0) > 0 && (low[at] !== wantedLow || high[at] !== wantedHigh)) at = (at + 1) & mask;
  return at;
}

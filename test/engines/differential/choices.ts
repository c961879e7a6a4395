/**
 * The random choices of a generator, recorded as a list of numbers. A statement is a function of its list: a shorter
 * list, or one with smaller numbers, gives a simpler statement, because every choice of 0 is the simplest one.
 */
export interface Choices {
  /** A number from 0 to `below` - 1. */
  pick(below: number): number;
  /** True in about `percent` of 100 cases; the simplest choice is false. */
  chance(percent: number): boolean;
  oneOf<T>(items: readonly T[]): T;
  /** What has been chosen so far. */
  readonly made: readonly number[];
}

export function randomChoices(seed: number): Choices {
  let state = seed >>> 0;
  // mulberry32
  return create(() => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  });
}

/** After the end of the list every choice is 0. */
export function repeatChoices(list: readonly number[]): Choices {
  let at = 0;
  return create(() => list[at++] ?? 0);
}

function create(next: () => number): Choices {
  const made: number[] = [];
  const pick = (below: number) => {
    const chosen = next() % below;
    made.push(chosen);
    return chosen;
  };
  return {
    pick,
    chance: (percent) => pick(100) >= 100 - percent,
    oneOf: (items) => items[pick(items.length)] as (typeof items)[number],
    made,
  };
}

/** The shortest list found within `trials` for which `fails` still holds. */
export async function shrink(
  list: readonly number[],
  fails: (list: readonly number[]) => Promise<boolean>,
  trials: number,
): Promise<readonly number[]> {
  let best = list;
  let left = trials;
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (const candidate of simpler(() => best)) {
      if (left <= 0) break;
      left -= 1;
      if (!(await fails(candidate))) continue;
      best = candidate;
      improved = true;
    }
  }
  return best;
}

/** Without a part, then with smaller numbers. `current` may have become shorter since the last one. */
function* simpler(current: () => readonly number[]): Generator<readonly number[]> {
  for (let size = 64; size >= 1; size = Math.floor(size / 2))
    for (let at = current().length - size; at >= 0; at -= size) {
      const list = current();
      if (at + size <= list.length) yield [...list.slice(0, at), ...list.slice(at + size)];
    }
  for (let at = 0; at < current().length; at += 1)
    for (const smaller of [0, Math.floor((current()[at] ?? 0) / 2)]) {
      const list = current();
      if (smaller < (list[at] ?? 0)) yield list.with(at, smaller);
    }
}

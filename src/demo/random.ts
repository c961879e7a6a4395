/**
 * Repeatable randomness: the same seed gives the same demo on every machine. Math.random cannot be seeded, and a package
 * for ten lines (mulberry32) would be larger than they are.
 */
export interface Random {
  /** From 0 up to, but without, 1. */
  next(): number;
  /** A whole number from 0 up to, but without, `below`. */
  int(below: number): number;
  chance(share: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** A choice by weight. */
  weigh<T extends { readonly weight: number }>(choices: readonly T[]): T;
  hex(digits: number): string;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (share) => next() < share,
    pick: <T>(choices: readonly T[]) => choices[int(choices.length)] as T,
    weigh<T extends { readonly weight: number }>(choices: readonly T[]): T {
      let left = next() * choices.reduce((sum, { weight }) => sum + weight, 0);
      for (const choice of choices) {
        left -= choice.weight;
        if (left < 0) return choice;
      }
      return choices.at(-1) as T;
    },
    hex: (digits) => Array.from({ length: digits }, () => int(16).toString(16)).join(""),
  };
}

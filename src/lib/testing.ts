/** What tests share: the seed of the run, and how many of their cases they take. */
import { randomInt } from "node:crypto";

const given = process.env.TEST_SEED;

/** Of every random test. The runner draws it once for the whole run, prints it and passes it on. */
export const SEED = given === undefined ? randomInt(1_000_000) : Number(given);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is a whole number, not ${given}`);
// Tests that the runner started need not print the seed again.
if (process.env.TEST_RUN_MARK === undefined) process.stdout.write(`TEST_SEED=${SEED}\n`);

/** `npm test -- --long` takes all cases; CI runs it after `npm test`. */
export const IS_LONG = process.env.TEST_LONG === "1";

/** Why a test is skipped that takes too long for `npm test`, which has five minutes on two cores. */
export const ONLY_LONG: string | false = IS_LONG ? false : "only with --long";

/**
 * All cases in a long run, otherwise at most so many: evenly spread, so that each group of a table has its share, and
 * from a place that the seed draws, so that many runs see all of them.
 */
export function sampled<T>(cases: readonly T[], most: number): readonly T[] {
  if (IS_LONG || cases.length <= most) return cases;
  const start = SEED % cases.length;
  return Array.from({ length: most }, (_, n) => Math.floor(start + (n * cases.length) / most) % cases.length)
    .sort((one, other) => one - other)
    .map((at) => cases[at] as T);
}

/**
 * A measurement that other programs can spoil is taken again: what the product does wrong it does in every round. For
 * limits of time and what follows from them alone, never for a race of the product.
 */
export async function inSomeRound(rounds: number, measure: () => Promise<void> | void): Promise<void> {
  for (let round = 1; ; round += 1) {
    try {
      await measure();
      return;
    } catch (failure) {
      if (round === rounds) throw failure;
    }
  }
}

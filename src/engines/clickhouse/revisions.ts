/**
 * Revision numbers grow with time: the seconds since 2026, followed by 22 random bits, so that two workers that start
 * in the same second hardly ever share a number. They stay below 2^53, the limit of JSON numbers, until the year 2094.
 */
import { randomInt } from "node:crypto";

/** The version of the columns and dimensions of a revision's rows. A migration that adds some counts it up. */
export const LAYOUT = 2;

const NUMBERS_PER_S = 2 ** 22;
const FIRST_S = Date.UTC(2026, 0, 1) / 1000;

/** The lowest revision number of the second that contains `ms`. */
export function lowestRevision(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000) - FIRST_S) * NUMBERS_PER_S;
}

export function newRevision(ms: number): number {
  return lowestRevision(ms) + randomInt(1, NUMBERS_PER_S);
}

/**
 * Numbers of revisions grow with time: the seconds since 2026, and 22 bits for the revisions of one second, drawn by lot so that two workers that
 * begin at once hardly ever share one. All of it stays below 2^53, which JSON can hold, until the year 2094.
 */
import { randomInt } from "node:crypto";

const NUMBERS_PER_S = 2 ** 22;
const FIRST_S = Date.UTC(2026, 0, 1) / 1000;

/** The lowest number of a moment. */
export function lowestRevision(ms: number): number {
  return Math.max(0, Math.floor(ms / 1000) - FIRST_S) * NUMBERS_PER_S;
}

export function newRevision(ms: number): number {
  return lowestRevision(ms) + randomInt(1, NUMBERS_PER_S);
}

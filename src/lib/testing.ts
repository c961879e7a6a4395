/** The seed of every random test. The runner draws it once for the whole run, prints it and passes it on. */
import { randomInt } from "node:crypto";

const given = process.env.TEST_SEED;

export const SEED = given === undefined ? randomInt(1_000_000) : Number(given);
if (!Number.isSafeInteger(SEED)) throw new Error(`TEST_SEED is a whole number, not ${given}`);
// Tests that the runner started need not print the seed again.
if (process.env.TEST_RUN_MARK === undefined) process.stdout.write(`TEST_SEED=${SEED}\n`);

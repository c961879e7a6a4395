/** The control stores, for suites of what they keep, whichever of them does it. */
import type { BackendName } from "../../src/engines/control.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";

/** For tests of what differs between them: locks, races, schema, many rows. */
export const STORES: readonly BackendName[] = ["sqlite", "postgres"];

/**
 * Both in a long run, otherwise one, which the seed and the file draw: for suites of routes and their answers, half of
 * which so run on each store, and in many runs each of them on both. All of them twice took 60 s of processor.
 */
export function drawnStores(file: string): readonly BackendName[] {
  if (IS_LONG) return STORES;
  const name = file.slice(file.lastIndexOf("/") + 1);
  const sum = Buffer.from(name).reduce((all, byte) => all + byte, SEED);
  return STORES.slice(sum % 2).slice(0, 1);
}

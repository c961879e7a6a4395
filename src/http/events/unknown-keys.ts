/**
 * Requests with a write key that nobody has: they belong to no project, so that no ledger has them, and a wrong key is
 * the commonest mistake of a first try. Kept in this process only, for a quarter of an hour, and never a whole key.
 */
import { shownPrefix } from "../../control/key-text.ts";
import type { Clock } from "../../lib/clock.ts";

export interface UnknownKey {
  /** The beginning of the key; empty without a key. */
  readonly prefix: string;
  readonly requests: number;
  readonly lastMs: number;
}

export interface UnknownKeys {
  note(text: string | undefined): void;
  /** The newest first. */
  list(): readonly UnknownKey[];
}

const KEPT_MS = 15 * 60_000;
const MOST_KEYS = 50;

export function createUnknownKeys(clock: Clock): UnknownKeys {
  /** The longest unused first. */
  const known = new Map<string, UnknownKey>();
  return {
    note(text = "") {
      const prefix = shownPrefix(text).replaceAll(/[^\x21-\x7e]/g, "?");
      const lastMs = clock.nowMs();
      const before = known.get(prefix);
      const isRecent = before !== undefined && before.lastMs > lastMs - KEPT_MS;
      known.delete(prefix);
      known.set(prefix, { prefix, requests: isRecent ? before.requests + 1 : 1, lastMs });
      const [oldest] = known.keys();
      if (known.size > MOST_KEYS && oldest !== undefined) known.delete(oldest);
    },
    list() {
      const sinceMs = clock.nowMs() - KEPT_MS;
      return [...known.values()].filter(({ lastMs }) => lastMs > sinceMs).reverse();
    },
  };
}

/**
 * A bounded memo in two generations. When the young generation is full it becomes the old one, and entries that were
 * not used since are dropped. Written by hand: unlike in the linked-list LRU caches on npm, a hit on a young entry
 * writes nothing, and the hot path consists of hits.
 */
export class BoundedCache<V, K = string> {
  readonly #half: number;
  readonly #own: (key: K) => K;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** `own` makes the key that is kept. */
  constructor(capacity: number, own: (key: K) => K = (key) => key) {
    this.#half = Math.max(1, capacity >> 1);
    this.#own = own;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  find(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.put(key, old);
    return old;
  }

  put(key: K, value: V): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(this.#own(key), value);
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

/** Longer keys are computed each time: they are rare, and storing them would make the bound meaningless. */
const LONGEST_KEY = 1024;

/** `work` must be pure and must not return undefined. */
export function memoize<V extends string | object>(capacity: number, work: (key: string) => V): (key: string) => V {
  const cache = new BoundedCache<V>(capacity, ownText);
  return (key) => {
    if (key.length > LONGEST_KEY) return work(key);
    let found = cache.find(key);
    if (found === undefined) {
      const own = ownText(key);
      found = work(own);
      cache.put(own, found);
    }
    return found;
  };
}

/** The same text in memory of its own: a part of a larger text keeps all of that in memory, here a body of 100 KB. */
function ownText(text: string): string {
  return text.isWellFormed() ? Buffer.from(text).toString() : text;
}

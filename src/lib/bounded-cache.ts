/**
 * A bounded memo in two generations. When the young generation is full it becomes the old one, and entries that were
 * not used since are dropped. Written by hand: unlike in the linked-list LRU caches on npm, a hit on a young entry
 * writes nothing, and the hot path consists of hits.
 */
export class BoundedCache<V, K = string> {
  readonly #half: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(capacity: number) {
    this.#half = Math.max(1, capacity >> 1);
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
    this.#young.set(key, value);
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
  const cache = new BoundedCache<V>(capacity);
  return (key) => {
    if (key.length > LONGEST_KEY) return work(key);
    const known = cache.find(key);
    if (known !== undefined) return known;
    const made = work(key);
    cache.put(key, made);
    return made;
  };
}

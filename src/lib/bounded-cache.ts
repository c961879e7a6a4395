/**
 * A bounded memo in two generations: when the young one is full it becomes the old one, and what nobody asked for since is
 * forgotten. Unlike a linked-list LRU a hit on a young entry writes nothing, and hits are what the hot path consists of.
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

/** Keys above this length are worked out again each time: they are rare, and storing them would make the bound meaningless. */
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

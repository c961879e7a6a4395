/** What was asked for last, at most `most` of it: the rest is made again when it is asked for. */
export class Recent<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** What is there, and no more. */
  peek(key: string): T | undefined {
    return this.#values.get(key);
  }

  /** Made unless it is here, and kept unless `isKept` says no. */
  get(key: string, make: () => T, isKept: (value: T) => boolean = () => true): T {
    const value = this.#values.get(key) ?? make();
    this.#values.delete(key);
    if (isKept(value)) this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
    return value;
  }
}

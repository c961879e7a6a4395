/** Counts latencies in steps of 1 %, from 1 us to 15 minutes, in 8 KB. */
const STEP = Math.log(1.01);
const BUCKETS = 2_080;

export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  add(milliseconds: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, milliseconds * 1000)) / STEP);
    const at = Math.min(bucket, BUCKETS - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  /** The upper end of the step that contains the quantile, in milliseconds; 0 without values. */
  quantile(q: number): number {
    let left = Math.ceil(this.#total * q);
    if (left === 0) return 0;
    for (let at = 0; at < BUCKETS; at += 1) {
      left -= this.#counts[at] ?? 0;
      if (left <= 0) return Math.exp((at + 1) * STEP) / 1000;
    }
    return Number.POSITIVE_INFINITY;
  }
}

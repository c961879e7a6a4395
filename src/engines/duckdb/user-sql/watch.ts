/**
 * Ends statements of users before they take the memory of reports. DuckDB's limit is for all queries together: the one
 * that asks last fails, whoever filled the memory. What a single statement holds, DuckDB does not tell: what the memory
 * grows by is counted for the statements that run meanwhile.
 */

const EVERY_MS = 50;
/** An ended statement has this time to give its memory back before the next one is ended. */
const PATIENCE_MS = 500;

export interface WatchedQueries {
  count(): number;
  addGrowth(bytes: number): void;
  endLargest(): void;
}

export interface MemoryProbe {
  /** Bytes that queries hold, without pages of tables, which DuckDB gives up on demand. */
  used(): Promise<number>;
  /** Resident bytes of the process. Values of expressions are only seen here. */
  rss(): number;
}

export interface MemoryShares {
  readonly usedBytes: number;
  readonly rssBytes: number;
}

/** Returns the function that ends the watch. */
export function watchUserQueries(queries: WatchedQueries, probe: MemoryProbe, shares: MemoryShares): () => void {
  let isAsking = false;
  let before: { used: number; rss: number } | undefined;
  let endedAt = Number.NEGATIVE_INFINITY;

  async function sample(): Promise<void> {
    const used = await probe.used();
    const rss = probe.rss();
    if (before !== undefined) queries.addGrowth(Math.max(0, used - before.used, rss - before.rss));
    before = { used, rss };
    const isAbove = used > shares.usedBytes || rss > shares.rssBytes;
    if (!isAbove || performance.now() - endedAt < PATIENCE_MS) return;
    endedAt = performance.now();
    queries.endLargest();
  }

  const timer = setInterval(() => {
    if (queries.count() === 0) before = undefined;
    if (queries.count() === 0 || isAsking) return;
    isAsking = true;
    sample()
      // The next sample comes soon; the limit of the whole process holds meanwhile.
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

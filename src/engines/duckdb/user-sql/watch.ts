/**
 * Ends statements of users before they take the memory of reports. DuckDB's limit is for all queries together: the one
 * that asks last fails, whoever filled the memory.
 */

const EVERY_MS = 50;

export interface WatchedQueries {
  count(): number;
  endAll(reason: string): void;
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

const TOO_MUCH = "The query needs more memory than a query may use";

/** Returns the function that ends the watch. */
export function watchUserQueries(queries: WatchedQueries, probe: MemoryProbe, shares: MemoryShares): () => void {
  let isAsking = false;
  const timer = setInterval(() => {
    if (queries.count() === 0 || isAsking) return;
    if (probe.rss() > shares.rssBytes) queries.endAll(TOO_MUCH);
    isAsking = true;
    probe
      .used()
      .then((bytes) => {
        if (bytes > shares.usedBytes) queries.endAll(TOO_MUCH);
      })
      // The next sample comes soon; the limit of the whole process holds meanwhile.
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

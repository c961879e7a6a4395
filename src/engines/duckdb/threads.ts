/**
 * How many threads DuckDB uses. The thread that runs a statement spins while others run its tasks, and a batch of the
 * writer has one row group and so nothing to share: with two threads on two cores the service took 119 us of processor
 * an event, with one while storing 99 to 103. So a batch is stored with one thread, unless something is read: reads
 * have them all. A change takes 0.7 ms; a batch has two.
 */
import type { DuckDBConnection } from "@duckdb/node-api";

export interface Threads {
  /** Resolves when the read may begin, with what ends it. */
  read(): Promise<() => void>;
  /** Stores a batch. */
  store<T>(work: () => Promise<T>): Promise<T>;
}

/** `connection` runs nothing else. */
export function createThreads(connection: Pick<DuckDBConnection, "run">): Threads {
  let reads = 0;
  let isOne = false;
  let last: Promise<void> = Promise.resolve();

  /** Never rejects: a database that has failed says so by the statement itself. */
  function change(toOne: boolean): Promise<void> {
    last = last.then(async () => {
      const wanted = toOne && reads === 0;
      if (wanted === isOne) return;
      // Not the number of cores: in a container DuckDB counts them in its own way.
      const changed = connection.run(wanted ? "SET threads = 1" : "RESET threads");
      await changed.then(
        () => {
          isOne = wanted;
        },
        () => undefined,
      );
    });
    return last;
  }

  return {
    async read() {
      reads += 1;
      await change(false);
      return () => {
        reads -= 1;
      };
    },
    async store(work) {
      await change(true);
      try {
        return await work();
      } finally {
        // Awaited: the connection may be closed after the last batch.
        await change(false);
      }
    },
  };
}

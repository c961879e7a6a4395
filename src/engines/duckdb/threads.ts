/**
 * How many threads DuckDB uses. The thread that runs a statement spins while others run its tasks, and a batch of the
 * writer has one row group and so nothing to share: with two threads on two cores the service took 119 us of processor
 * an event, with one while storing 99 to 104. So a batch is stored with one thread, and so is the checkpoint after it.
 * Reads have them all, unless so many statements run that each core has one: eight reports at once then took 0.87 to 0.93
 * of the processor time. A change takes 0.7 ms.
 */
import type { DuckDBConnection } from "@duckdb/node-api";

export interface Threads {
  /** Resolves when the read may begin, with what ends it. */
  read(): Promise<() => void>;
  /** Stores a batch or makes a checkpoint, one at a time. */
  store<T>(work: () => Promise<T>): Promise<T>;
  /** Nothing is being changed any more: the connection may be closed. */
  adjusted(): Promise<void>;
}

/** `connection` runs nothing else. `all` are the threads that DuckDB has by itself. */
export function createThreads(connection: Pick<DuckDBConnection, "run">, all: number): Threads {
  let reads = 0;
  let isStoring = false;
  let isOne = false;
  let last: Promise<void> = Promise.resolve();

  const wantsOne = () => all === 1 || (isStoring && reads === 0) || reads + (isStoring ? 1 : 0) >= all;

  /** Never rejects: a database that has failed says so by the statement itself. */
  function adjust(): Promise<void> {
    last = last.then(async () => {
      const wanted = wantsOne();
      if (wanted === isOne) return;
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
      const adjusted = adjust();
      // Fewer threads need not be waited for: each ends what it is doing, which may be long.
      if (!wantsOne()) await adjusted;
      return () => {
        reads -= 1;
        void adjust();
      };
    },
    async store(work) {
      isStoring = true;
      try {
        const adjusted = adjust();
        if (reads === 0) await adjusted;
        return await work();
      } finally {
        isStoring = false;
        await adjust();
      }
    },
    adjusted: () => last,
  };
}

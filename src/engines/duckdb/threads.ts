/**
 * How many threads DuckDB uses. The thread that runs a statement spins while others run its tasks, and a batch of the
 * writer has one row group and so nothing to share: with two threads on two cores storing took a third more processor
 * time than with one, and 12,600 instead of 15,500 events a second were accepted and stored. So a batch is stored with
 * one thread, unless something is read meanwhile: reads have them all.
 */
import { availableParallelism } from "node:os";
import type { DuckDBConnection } from "@duckdb/node-api";

export interface Threads {
  /** Resolves when the read may begin, with what ends it. */
  read(): Promise<() => void>;
  /** Stores a batch. */
  store<T>(work: () => Promise<T>): Promise<T>;
}

export function createThreads(connection: Pick<DuckDBConnection, "run">, all = availableParallelism()): Threads {
  let reads = 0;
  let stores = 0;
  let current = all;
  let last: Promise<unknown> = Promise.resolve();

  function adjust(): Promise<unknown> {
    last = last.then(async () => {
      const wanted = stores > 0 && reads === 0 ? 1 : all;
      if (wanted === current) return;
      // It only costs time when it fails, as on a database that has failed: the statement itself will say so.
      await connection.run(`SET threads = ${wanted}`).then(
        () => {
          current = wanted;
        },
        () => undefined,
      );
    });
    return last;
  }

  return {
    async read() {
      reads += 1;
      await adjust();
      return () => {
        reads -= 1;
        void adjust();
      };
    },
    async store(work) {
      stores += 1;
      try {
        await adjust();
        return await work();
      } finally {
        stores -= 1;
        void adjust();
      }
    },
  };
}

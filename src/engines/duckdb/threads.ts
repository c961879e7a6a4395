/**
 * How many threads DuckDB uses. The thread that runs a statement spins while others run its tasks, and a batch of the
 * writer has one row group and so nothing to share: with one thread while storing, an event takes the engine 0.69 of the
 * processor time of two threads on two cores, and 0.60 with many visitors (`npm run bench:storing`, 2026-11-19). So a
 * batch is stored with one thread, and so is the checkpoint after it, unless something is read: reads have them all, and
 * other writes. A change takes 0.7 ms, and DuckDB gives back all the memory that it would use again: so it stays one
 * between batches, until something is read.
 *
 * Never fewer while something is read: DuckDB waits for the tasks of the threads that go, and until then no statement of
 * any connection ends. A read that took 6 s held up all others as long.
 */
import type { DuckDBConnection } from "@duckdb/node-api";

export interface Threads {
  /** Resolves when the read, or a write that is no batch, may begin, with what ends it. */
  read(): Promise<() => void>;
  /** Stores a batch. Batches and checkpoints come one at a time. */
  store<T>(work: () => Promise<T>): Promise<T>;
  checkpoint<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Reads for the worker, beside the writer, one at a time: it leaves the other cores to reports and batches, and has all
   * where no batch came lately. The rollups of 450 partitions took 31 s with one of two, and 15 with both.
   */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` unless something is read. What begins to read meanwhile waits for it. */
  unread(work: () => Promise<unknown>): Promise<void>;
  /** Nothing is being changed any more: the connection may be closed. */
  adjusted(): Promise<void>;
}

/** Batches of a service that receives events come more often. */
const LATELY_MS = 10_000;

/** `connection` runs nothing else. */
export function createThreads(connection: Pick<DuckDBConnection, "run">): Threads {
  let reads = 0;
  let isStoring = false;
  let isAside = false;
  /** Until the read of the worker has ended: it may have tasks in threads that would go. */
  let isKept = false;
  let isOne = false;
  let storedAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();

  /** Never rejects: a database that has failed says so by the statement itself. */
  function adjust(): Promise<void> {
    last = last.then(async () => {
      const isFree = isAside && !isStoring && performance.now() - storedAt > LATELY_MS;
      const wanted = reads === 0 && !isFree && (isStoring || isAside || isOne);
      if (wanted === isOne || (wanted && isKept)) return;
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

  async function withOne<T>(work: () => Promise<T>): Promise<T> {
    isStoring = true;
    try {
      await adjust();
      return await work();
    } finally {
      isStoring = false;
    }
  }

  return {
    async read() {
      reads += 1;
      await adjust();
      return () => {
        reads -= 1;
        // Changes something only beside a batch.
        void adjust();
      };
    },
    store: (work) =>
      withOne(work).finally(() => {
        storedAt = performance.now();
      }),
    checkpoint: withOne,
    async aside(work) {
      isAside = true;
      try {
        await adjust();
        isKept = true;
        return await work();
      } finally {
        isKept = false;
        isAside = false;
        await adjust();
      }
    },
    unread(work) {
      last = last.then(async () => {
        if (reads === 0 && !isAside) await work().catch(() => undefined);
      });
      return last;
    },
    adjusted: () => last,
  };
}

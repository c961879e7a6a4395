/**
 * One DuckDB file: a connection that writes, several that read. Reads run side by side in threads of their own; writes one after the other,
 * because DuckDB would refuse the second of two that touch the same rows. A statement that takes too long is interrupted.
 */
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { createSemaphore, type Semaphore } from "../../lib/semaphore.ts";
import { readSql } from "../../lib/sql.ts";
import { EngineBusy, EngineDown, EngineRefused, isFailure } from "../failures.ts";
import type { Selected, SelectOptions } from "../port.ts";
import { readRows } from "./rows.ts";
import { toStatement } from "./statement.ts";

const MACROS = readSql(new URL("./macros.sql", import.meta.url));

export interface DatabaseLimits {
  /** Of one statement that reads. */
  readonly queryMs: number;
  /** DuckDB's own limit, which is soft: ordinary queries take up to twice of it. */
  readonly memoryBytes: number;
  readonly runningQueries: number;
}

export interface Database {
  select<T>(sql: string, options?: SelectOptions): Promise<Selected<T>>;
  /** Alone among the writers, in one transaction; what it throws rolls back. */
  write<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Alone among the writers, outside of a transaction. */
  alone<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Interrupts every read that runs. */
  interruptReads(): void;
  close(): Promise<void>;
}

/** `onFatal`: DuckDB will answer nothing any more before the file is opened again, as after a checkpoint that found no room on the disk. */
export async function openDatabase(
  path: string,
  limits: DatabaseLimits,
  onFatal: (cause: Error) => void = () => undefined,
): Promise<Database> {
  const instance = await DuckDBInstance.create(path, {
    // Without it there is no zstd: an event would take 231 bytes instead of 101.
    storage_compatibility_version: "latest",
    memory_limit: `${Math.ceil(limits.memoryBytes / 1024 ** 2)}MiB`,
    temp_directory: join(path, "..", "tmp"),
    // The writer checkpoints between two batches: automatic ones ran inside a commit and took up to 8 s.
    checkpoint_threshold: "1TB",
    // A checkpoint rewrites no row group because rows were deleted from it: a few of them take 3 to 6 s of a core, and one project of five,
    // removed from 10 million events, 40 s, in which the writer waits. Groups of which nothing is left are freed all the same.
    max_vacuum_tasks: "0",
    // Nothing here reads or writes another file, and no statement may change that.
    enable_external_access: "false",
    autoload_known_extensions: "false",
    // Reports order by what they need; keeping the order of insertion costs memory in between.
    preserve_insertion_order: "false",
    // The hash table of a join is made of its right side, as it is written, and as ClickHouse does. DuckDB's guess of the smaller side took all
    // sessions of the window for the visitors of today: 200 instead of 55 ms for top_sources over 90 days of 10 million events.
    disabled_optimizers: "build_side_probe_side",
  });
  const writer = await instance.connect();
  await writer.run(MACROS);
  await writer.run("SET lock_configuration = true");
  const readers = new Readers(instance, limits.runningQueries);
  let last: Promise<unknown> = Promise.resolve();

  function toFailure(cause: unknown): unknown {
    if (cause instanceof Error && FATAL.test(cause.message)) onFatal(cause);
    return failureOf(cause);
  }

  function alone<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const mine = last
      .then(() => work(writer))
      .catch((cause: unknown) => {
        throw toFailure(cause);
      });
    last = mine.catch(() => undefined);
    return mine;
  }

  return {
    async select<T>(sql: string, options: SelectOptions = {}) {
      const { signal } = options;
      signal?.throwIfAborted();
      const statement = toStatement(sql, options.params ?? {});
      const timeoutMs = Math.min(options.timeoutMs ?? limits.queryMs, limits.queryMs);
      const [connection, give] = await readers.take(signal);
      const stop = () => connection.interrupt();
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        stop();
      }, timeoutMs);
      signal?.addEventListener("abort", stop, { once: true });
      const startedAt = performance.now();
      try {
        signal?.throwIfAborted();
        // Never prepared once for all: a plan made while a table was empty goes on to find nothing when it has rows.
        const reader = await connection.runAndReadAll(statement.sql, statement.values);
        const elapsed = (performance.now() - startedAt) / 1000;
        return { rows: readRows(reader) as T[], statistics: { elapsed, rows_read: 0, bytes_read: 0 } };
      } catch (cause) {
        signal?.throwIfAborted();
        if (isLate) throw new EngineBusy(`the query took longer than ${timeoutMs / 1000} s`, { cause });
        throw toFailure(cause);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        give();
      }
    },
    write: (work) =>
      alone(async (connection) => {
        await connection.run("BEGIN TRANSACTION");
        try {
          const done = await work(connection);
          await connection.run("COMMIT");
          return done;
        } catch (cause) {
          // After a failed COMMIT there is nothing to roll back, and that is no second failure.
          await connection.run("ROLLBACK").catch(() => undefined);
          throw cause;
        }
      }),
    alone,
    interruptReads: () => readers.interruptAll(),
    async close() {
      await last;
      readers.close();
      writer.closeSync();
      instance.closeSync();
    },
  };
}

/** At most so many connections, opened when they are needed; later callers wait in order. */
class Readers {
  readonly #instance: DuckDBInstance;
  readonly #slots: Semaphore;
  readonly #all = new Set<DuckDBConnection>();
  readonly #idle: DuckDBConnection[] = [];

  constructor(instance: DuckDBInstance, most: number) {
    this.#instance = instance;
    this.#slots = createSemaphore({ perKey: most });
  }

  /** The second value gives the connection back. */
  async take(signal: AbortSignal | undefined): Promise<[DuckDBConnection, () => void]> {
    const release = await this.#slots.acquire("readers", signal);
    try {
      const connection = this.#idle.pop() ?? (await this.#open());
      const give = () => {
        this.#idle.push(connection);
        release();
      };
      return [connection, give];
    } catch (cause) {
      release();
      throw cause;
    }
  }

  async #open(): Promise<DuckDBConnection> {
    const connection = await this.#instance.connect();
    this.#all.add(connection);
    return connection;
  }

  interruptAll(): void {
    for (const connection of this.#all) if (!this.#idle.includes(connection)) connection.interrupt();
  }

  close(): void {
    for (const connection of this.#all) connection.closeSync();
  }
}

const FATAL = /FATAL Error|database has been invalidated/;
/** An appender says it in other words than a statement. */
const BUSY = /^(Out of Memory|INTERRUPT|IO) Error|could not allocate block/;

function failureOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || isFailure(cause)) return cause;
  const [line = ""] = cause.message.split("\n");
  if (FATAL.test(line)) return new EngineDown(line, { cause });
  if (BUSY.test(line)) return new EngineBusy(line, { cause });
  return / Error: /.test(line) ? new EngineRefused(line, { cause }) : cause;
}
